// SPDX-License-Identifier: Apache-2.0

// The common part of the jobs that read many event streams through a proxy, on one epoll loop.

#pragma once

#include "streams.h"

/// The position in a stream. CHUNK_END is the line end after a chunk's data. LAST_LINE is the empty line after the last chunk.
/// UNFRAMED is a body without chunks.
enum place { HEAD, CHUNK_SIZE, CHUNK_DATA, CHUNK_END, LAST_LINE, UNFRAMED, ENDED, FAILED };

struct stream {
    int fd;
    enum place place;
    bool opened;
    size_t chunk_left;
    uint32_t expected;           // the next event's sequence number
    uint64_t asked, finished;    // the times of the request and of the arrival of the last event
    size_t length;               // the number of bytes in `line`
    char line[HEAD_LIMIT];       // the received part of the head or of an event
    char size_line[24];          // the received part of a chunk's size line or of a line after a chunk
    size_t size_length;
};

struct load {
    struct options options;
    int epoll;
    char request[HEAD_LIMIT];
    size_t request_length;
    struct stream *streams;
    unsigned started, settled;    // A stream is settled when its first event has arrived or the stream has failed.
    unsigned open, ended, failed;
    uint64_t events, missing, damaged;
    uint64_t *delays;
    char refusal[64];             // the first status line that was not 200
    void (*take_event)(struct load *load, struct stream *stream, uint64_t time);
    // The following members are used only for streams that share their events.
    struct shared_template expected;
    uint64_t generation, id_offset;   // from the first received ID; all later IDs must be consistent with them
    uint64_t bytes;               // the number of received bytes of events
    unsigned complete;            // the number of streams that have received all their events
    bool closes;                  // whether to close a stream as soon as it has received all its events
};

// reader.c

/// Initialises a load without open streams; `take_event` handles its events.
void make_load(struct load *load, const struct options *options,
               void (*take_event)(struct load *, struct stream *, uint64_t));
/// Closes all streams and frees the memory.
void dispose_load(struct load *load);
/// Opens further streams until the limit of pending requests is reached.
void start_streams(struct load *load);
/// Runs one iteration of the loop; returns false when standard input has ended.
bool turn(struct load *load, int timeout_milliseconds);
/// Opens all streams, and waits until each stream has received its first event or has failed. Stops waiting after OPEN_SECONDS.
void open_streams(struct load *load);
/// Records that a stream has received its first event. If the event is not as expected, counts it as damaged.
void open_stream(struct load *load, struct stream *stream, bool as_expected);
/// Closes a stream whose response has ended.
void end_stream(struct load *load, struct stream *stream);

// follow.c

/// Handles a shared event.
void take_shared(struct load *load, struct stream *stream, uint64_t time);
