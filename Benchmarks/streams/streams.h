// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EVENT_LIMIT = 1900,    // greater than the size of any event, including the lines that the gateway adds
    HEAD_LIMIT = 2048,     // greater than the size of any head, and of any chunk that contains an event
    BATCH = 256,           // the number of epoll events that are handled at once
    OPEN_SECONDS = 30,     // the time in which all streams must open
    GRACE_SECONDS = 10,    // the time after the last event or request in which all pending data must arrive
};

/// The number of nanoseconds in a second; all times here are in nanoseconds.
static const uint64_t second = 1000000000;

struct options {
    int port;
    const char *target;
    unsigned streams, events, rate, seconds;
    // The following members are used only for streams that share their events.
    const char *directory;     // the directory that each event names; NULL if the streams do not share events
    unsigned first, size;      // the sequence number of the first event, and the minimum size of each event in bytes
    bool ids;                  // whether the streams come from the gateway's hub, which adds `retry:` and `id:` lines
};

// The functions that run the jobs. Each function returns the exit code of the program.
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
/// Returns zeroed memory. Ends the program if no memory is available.
void *allocated(size_t count, size_t size);
/// Returns the time of the monotonic clock, which is the same in every process.
uint64_t now(void);
/// Adds a descriptor to an epoll set.
void watch(int epoll, int fd, uint32_t events, void *owner);
/// Returns a timer descriptor without the kernel's usual slack of 50 µs.
int timer_every(uint64_t first, uint64_t interval);
/// Reads the expirations of a timer descriptor.
void clear_timer(int timer);
/// Sorts the samples, and prints p50, p99 and the largest sample in microseconds, as members of a JSON object.
void print_percentiles(uint64_t *samples, size_t count);
/// Connects to a port of this machine, without Nagle's algorithm.
int connect_to(int port);
/// Writes the request that the options describe, and returns the request's length.
size_t format_request(char *out, size_t limit, const struct options *options);

// events.c

/// The first event of every stream, and its length.
extern const char connected_event[];
extern const size_t connected_event_length;
/// Writes one event of about 245 bytes with the structure and the size of OpenCode's `message.part.delta`. Returns the event's
/// length.
size_t format_delta(char *out, uint64_t stamp, uint32_t sequence);
/// Parses an event. Returns false if any byte differs from the output of `format_delta`.
bool parse_delta(const char *event, size_t length, uint64_t *stamp, uint32_t *sequence);

/// The first event of every stream of shared events, and its length.
extern const char shared_connected_event[];
extern const size_t shared_connected_event_length;
/// Writes one shared event in the format of OpenCode 1's `/global/event`. If the event is shorter than `size` bytes, extends it to
/// this size. Returns the event's length.
size_t format_shared(char *out, const char *directory, unsigned size, uint64_t stamp, uint32_t sequence);

/// The expected bytes of a shared event. Events differ only in the time stamp and the sequence number.
struct shared_template {
    char event[EVENT_LIMIT];
    size_t length, stamp_at;
};

/// Creates the event that a run with these options receives.
void make_template(struct shared_template *out, const char *directory, unsigned size);
/// Parses an event. Returns false if any byte differs from the output of `format_shared`.
bool parse_shared(const struct shared_template *expected, const char *event, size_t length, uint64_t *stamp,
                  uint32_t *sequence);
