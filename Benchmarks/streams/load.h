// Many event streams through a proxy, read on one epoll loop: what the jobs that read streams have in common.

#pragma once

#include "streams.h"

/// Where a stream's reader stands: in the answer's head, in a chunk's size line, in its data, behind its data, or done.
enum place { HEAD, CHUNK_SIZE, CHUNK_DATA, CHUNK_END, LAST_LINE, UNFRAMED, ENDED, FAILED };

struct stream {
    int fd;
    enum place place;
    bool opened;
    size_t chunk_left;
    uint32_t expected;           // the next event's sequence number
    uint64_t asked, finished;    // when it was asked for, and when its last event came
    size_t length;               // bytes in `line`
    char line[HEAD_LIMIT];       // the head, a chunk's size line or an event, as far as it has come
    char size_line[24];
    size_t size_length;
};

struct load {
    struct options options;
    int epoll;
    char request[HEAD_LIMIT];
    size_t request_length;
    struct stream *streams;
    unsigned started, settled;    // settled: the first event has come, or the stream failed before it
    unsigned open, ended, failed;
    uint64_t events, missing, damaged;
    uint64_t *delays;
    char refusal[64];             // the first status line that was not 200
    void (*take_event)(struct load *load, struct stream *stream, uint64_t time);
    // Of streams that share their events only:
    struct shared_template expected;
    uint64_t generation, id_offset;   // of the first id that came: all others must fit to it
    uint64_t bytes;               // of events
    unsigned complete;            // streams that have had all their events
    bool closes;                  // whether such a stream is closed at once
};

// reader.c

/// A load that has opened nothing yet, whose events are taken by `take_event`.
void make_load(struct load *load, const struct options *options,
               void (*take_event)(struct load *, struct stream *, uint64_t));
/// Closes all streams and gives the memory back.
void dispose_load(struct load *load);
/// Asks for as many streams as may be asked for now.
void start_streams(struct load *load);
/// One pass of the loop; returns false when standard input ended.
bool turn(struct load *load, int timeout_milliseconds);
/// Opens all streams, each of which has had its first event then, or has failed; gives up after OPEN_SECONDS.
void open_streams(struct load *load);
/// The first event has come: as it must be, or not.
void open_stream(struct load *load, struct stream *stream, bool as_expected);
/// Closes a stream whose answer has come to its end.
void end_stream(struct load *load, struct stream *stream);

// follow.c

/// Takes a shared event.
void take_shared(struct load *load, struct stream *stream, uint64_t time);
