// SPDX-License-Identifier: Apache-2.0

// The upstream's state: its connections and the events that it sends on them.

#pragma once

#include "streams.h"

/// A connection from a proxy, which reads a request head or is in the middle of an event stream.
struct peer {
    int fd;
    bool streaming, shares;    // whether it is in the middle of a stream, and whether that stream shares its events
    char head[HEAD_LIMIT];
    size_t head_length;
    uint64_t interval, due;    // nanoseconds between two events (0: a silent stream) and the time of the next
    uint32_t sent, count;
    char pending[HEAD_LIMIT];  // the bytes that the socket did not accept; no event is created while there are any
    size_t pending_length;
    struct peer *previous, *next;
};

/// Events that all streams of a ring receive at the same time, with the same bytes.
struct share {
    char directory[EVENT_LIMIT];   // the directory that each event contains
    unsigned size;                 // bytes of each event
    uint64_t interval, due;        // nanoseconds between two events (0: as fast as possible), and the time of the next
    uint32_t sent, count;
};

struct upstream {
    int epoll, listener, timer;
    struct peer active;    // head of a ring: the streams that send events
    uint32_t streams;      // the number of open streams, including silent ones
    uint32_t phase;        // spreads the streams' ticks over an interval
    struct peer shared;    // head of a ring: the streams that receive each event at the same time
    uint32_t followers;    // the number of streams in the ring `shared`
    struct share share;
};

// upstream.c

/// Sends what the socket accepts and keeps the rest. The loop detects a lost connection when it reads its end.
void send_to(struct upstream *upstream, struct peer *peer, const char *bytes, size_t length);
/// Sends the head of an event stream and the first event of the stream.
void send_opening(struct upstream *upstream, struct peer *peer, const char *event, size_t length);
/// Adds a stream to a ring.
void link_peer(struct peer *ring, struct peer *peer);

// share.c

/// Starts a stream that receives the shared events.
void begin_shared(struct upstream *upstream, struct peer *peer);
/// Starts to send shared events according to the target `/say?…`; returns false if the target is invalid.
bool begin_share(struct upstream *upstream, const char *target);
/// Sends the events that are due. While any stream has pending bytes, no event is created, so that all streams receive
/// each event at the same time.
void send_shared(struct upstream *upstream);
