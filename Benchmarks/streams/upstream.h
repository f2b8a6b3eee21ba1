// SPDX-License-Identifier: Apache-2.0

// The state of the upstream: its connections, and the events that it sends.

#pragma once

#include "streams.h"

/// A connection from a proxy. The upstream reads the head of a request from the connection, or sends an event stream on
/// it.
struct peer {
    int fd;
    bool streaming, shares;    // whether the connection is a stream with separate events, or a stream of shared events
    char head[HEAD_LIMIT];
    size_t head_length;
    uint64_t interval, due;    // nanoseconds between two events (0: a silent stream), and the time of the next event
    uint32_t sent, count;
    char pending[HEAD_LIMIT];  // the bytes that the socket has not accepted; no event is created while any bytes are pending
    size_t pending_length;
    struct peer *previous, *next;
};

/// Events that all streams in a ring receive at the same time and with the same bytes.
struct share {
    char directory[EVENT_LIMIT];   // the directory that each event contains
    unsigned size;                 // the minimum size of each event in bytes
    uint64_t interval, due;        // nanoseconds between two events (0: as fast as possible), and the time of the next event
    uint32_t sent, count;
};

struct upstream {
    int epoll, listener, timer;
    struct peer active;    // the head of the ring of streams with separate events, excluding silent streams
    uint32_t streams;      // the number of open streams with separate events, including silent streams
    uint32_t phase;        // distributes the streams' events over an interval
    struct peer shared;    // the head of the ring of streams that share their events
    uint32_t followers;    // the number of streams in the ring `shared`
    struct share share;
};

// upstream.c

/// Sends the bytes that the socket accepts, and stores the remainder. Ignores a lost connection, because the loop detects it by
/// reading.
void send_to(struct upstream *upstream, struct peer *peer, const char *bytes, size_t length);
/// Sends the head of an event stream and the first event of the stream.
void send_opening(struct upstream *upstream, struct peer *peer, const char *event, size_t length);
/// Adds a stream to a ring.
void link_peer(struct peer *ring, struct peer *peer);

// share.c

/// Starts a stream that receives the shared events.
void begin_shared(struct upstream *upstream, struct peer *peer);
/// Starts to send shared events according to the target `/say?…`. Returns false if the target is invalid.
bool begin_share(struct upstream *upstream, const char *target);
/// Sends the events that are due. While any stream has pending bytes, no event is created, so that all streams receive
/// each event at the same time.
void send_shared(struct upstream *upstream);
