// SPDX-License-Identifier: Apache-2.0

// Many event streams through a proxy, read on one epoll loop: the common part of the jobs that read streams.

#pragma once

#include "streams.h"

/// The position of a stream's reader: in the response's head, in a chunk's size line, in its data, after its data, or
/// done.
enum place { HEAD, CHUNK_SIZE, CHUNK_DATA, CHUNK_END, LAST_LINE, UNFRAMED, ENDED, FAILED };

struct stream {
    int fd;
    enum place place;
    bool opened;
    size_t chunk_left;
    uint32_t expected;           // the next event's sequence number
    uint64_t asked, finished;    // the times of its request and of the arrival of its last event
    size_t length;               // the number of bytes in `line`
    char line[HEAD_LIMIT];       // the received part of the head, of a chunk's size line or of an event
    char size_line[24];
    size_t size_length;
};

struct load {
    struct options options;
    int epoll;
    char request[HEAD_LIMIT];
    size_t request_length;
    struct stream *streams;
    unsigned started, settled;    // settled: the first event has arrived, or the stream failed before it
    unsigned open, ended, failed;
    uint64_t events, missing, damaged;
    uint64_t *delays;
    char refusal[64];             // the first status line that was not 200
    void (*take_event)(struct load *load, struct stream *stream, uint64_t time);
    // Only for streams that share their events:
    struct shared_template expected;
    uint64_t generation, id_offset;   // from the first received ID, with which all others must agree
    uint64_t bytes;               // the number of bytes of events
    unsigned complete;            // streams that have received all their events
    bool closes;                  // whether such a stream is closed immediately
};

// reader.c

/// Initialises a load without open streams; `take_event` handles its events.
void make_load(struct load *load, const struct options *options,
               void (*take_event)(struct load *, struct stream *, uint64_t));
/// Closes all streams and frees the memory.
void dispose_load(struct load *load);
/// Opens as many further streams as are allowed now.
void start_streams(struct load *load);
/// Runs one iteration of the loop; returns false when standard input has ended.
bool turn(struct load *load, int timeout_milliseconds);
/// Opens all streams and waits until each has received its first event or has failed. Gives up after OPEN_SECONDS.
void open_streams(struct load *load);
/// Records the first event of a stream and whether it is as expected.
void open_stream(struct load *load, struct stream *stream, bool as_expected);
/// Closes a stream whose response has ended.
void end_stream(struct load *load, struct stream *stream);

// follow.c

/// Handles a shared event.
void take_shared(struct load *load, struct stream *stream, uint64_t time);
