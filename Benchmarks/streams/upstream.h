// The upstream's state: its connections and what it says on them.

#pragma once

#include "streams.h"

/// A connection from a proxy: it reads a request head, or it is in the middle of an event stream.
struct peer {
    int fd;
    bool streaming, shares;    // in the middle of a stream; of one of those that share their events
    char head[HEAD_LIMIT];
    size_t head_length;
    uint64_t interval, due;    // nanoseconds between two events (0: a silent stream) and the time of the next
    uint32_t sent, count;
    char pending[HEAD_LIMIT];  // what the socket did not take; no event is made while there is any
    size_t pending_length;
    struct peer *previous, *next;
};

/// Events that all streams of a ring get at the same moment, the same bytes.
struct share {
    char directory[EVENT_LIMIT];   // what each event names
    unsigned size;                 // bytes of each event
    uint64_t interval, due;        // nanoseconds between two events (0: as fast as they are taken), the next one's time
    uint32_t sent, count;
};

struct upstream {
    int epoll, listener, timer;
    struct peer active;    // head of a ring: the streams that send events
    uint32_t streams;      // open ones, silent ones included
    uint32_t phase;        // spreads the streams' ticks over an interval
    struct peer shared;    // head of a ring: the streams that get each event at the same moment
    uint32_t followers;    // how many those are
    struct share share;
};

// upstream.c

/// Sends what the socket takes and keeps the rest. A broken connection is noticed by the loop, which reads its end.
void send_to(struct upstream *upstream, struct peer *peer, const char *bytes, size_t length);
/// Answers the head of an event stream and its first event.
void send_opening(struct upstream *upstream, struct peer *peer, const char *event, size_t length);
/// Puts a stream into a ring.
void link_peer(struct peer *ring, struct peer *peer);

// share.c

/// Begins a stream that gets the shared events.
void begin_shared(struct upstream *upstream, struct peer *peer);
/// Begins to say shared events, as the target `/say?…` wants it; false: that is understood by nobody.
bool begin_share(struct upstream *upstream, const char *target);
/// Says what is due. While any stream has bytes waiting no event is made, so that all get each at the same moment.
void send_shared(struct upstream *upstream);
