// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EVENT_LIMIT = 1900,    // longer than any event, including the lines that the gateway adds
    HEAD_LIMIT = 2048,     // longer than any head, and longer than the chunk of an event
    BATCH = 256,           // epoll events handled at once
    OPEN_SECONDS = 30,     // if a stream is not open by then, the run has failed
    GRACE_SECONDS = 10,    // pending data arrives within this time after the last event or request
};

/// The number of nanoseconds in a second; all times here are in nanoseconds.
static const uint64_t second = 1000000000;

struct options {
    int port;
    const char *target;
    unsigned streams, events, rate, seconds;
    // Only for streams that share their events:
    const char *directory;     // the directory that each event names; if it is set, events are shared
    unsigned first, size;      // the sequence number of the first event, and the bytes of each one (0: any)
    bool ids;                  // whether the streams come from the gateway's hub, which adds `retry:` and `id:` lines
};

// The jobs; each returns the exit code.
_Noreturn int run_upstream(void);
int run_hold(const struct options *options);
int run_read(const struct options *options);
int run_follow(const struct options *options);
int run_replay(const struct options *options);
int run_rate(const struct options *options);

// common.c

/// Ends the program with a message on standard error.
_Noreturn void die(const char *format, ...);
/// Returns the result of a system call. Ends the program if the result is negative.
int checked(int result, const char *operation);
/// Returns zeroed memory; ends the program if there is none.
void *allocated(size_t count, size_t size);
/// Returns the time of the monotonic clock, which is the same in every process.
uint64_t now(void);
/// Adds a descriptor to an epoll set.
void watch(int epoll, int fd, uint32_t events, void *owner);
/// Returns a timer descriptor without the kernel's usual slack of 50 µs.
int timer_every(uint64_t first, uint64_t interval);
/// Reads the expirations of a timer descriptor.
void clear_timer(int timer);
/// Sorts the samples and prints p50, p99 and the largest in microseconds, as members of a JSON object.
void print_percentiles(uint64_t *samples, size_t count);
/// Connects to a port of this machine, without Nagle's algorithm.
int connect_to(int port);
/// Writes the request that the options describe; returns its length.
size_t format_request(char *out, size_t limit, const struct options *options);

// events.c

/// The first event of every stream, and its length.
extern const char connected_event[];
extern const size_t connected_event_length;
/// Writes one event of about 245 bytes, the shape and size of OpenCode's `message.part.delta`; returns its length.
size_t format_delta(char *out, uint64_t stamp, uint32_t sequence);
/// Parses an event; returns false if any byte differs from what `format_delta` wrote.
bool parse_delta(const char *event, size_t length, uint64_t *stamp, uint32_t *sequence);

/// The first event of every stream of shared events, and its length.
extern const char shared_connected_event[];
extern const size_t shared_connected_event_length;
/// Writes one shared event as OpenCode 1 sends it on `/global/event`, with `size` bytes if that is more than it needs;
/// returns its length.
size_t format_shared(char *out, const char *directory, unsigned size, uint64_t stamp, uint32_t sequence);

/// A shared event to compare with. Everything except the stamp and the sequence number is the same in each event.
struct shared_template {
    char event[EVENT_LIMIT];
    size_t length, stamp_at;
};

/// Creates the event that a run with these options receives.
void make_template(struct shared_template *out, const char *directory, unsigned size);
/// Parses an event; returns false if any byte differs from what `format_shared` wrote.
bool parse_shared(const struct shared_template *expected, const char *event, size_t length, uint64_t *stamp,
                  uint32_t *sequence);
