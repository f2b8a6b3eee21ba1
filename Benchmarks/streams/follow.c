// SPDX-License-Identifier: Apache-2.0

// `streams follow` and `streams replay` read streams that share their events, up to a given event.

#include "load.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/// Returns the length of the `retry:` line that the hub sends before a stream's first event. Returns 0 if there is no such line or
/// if its delay is not between 500 and 1,500 ms.
static size_t retry_length(const struct stream *stream) {
    unsigned milliseconds = 0;
    int length = 0;
    if (sscanf(stream->line, "retry: %4u\n%n", &milliseconds, &length) != 1 || length == 0) return 0;
    return milliseconds >= 500 && milliseconds <= 1500 ? strcspn(stream->line, "\n") + 1 : 0;
}

/// Reads a decimal number and the character `end` after it. Returns false if the text has another format.
static bool number(const char **text, char end, uint64_t *value) {
    const char *start = *text;
    for (*value = 0; **text >= '0' && **text <= '9'; ++*text) *value = *value * 10 + (uint64_t)(**text - '0');
    return *text > start && *(*text)++ == end;
}

/// Returns the length of an event's line `id: GENERATION-SEQUENCE`. Returns 0 if there is no such line.
static size_t id_length(const struct stream *stream, uint64_t *generation, uint64_t *sequence) {
    const char *text = stream->line + 4;
    if (strncmp(stream->line, "id: ", 4) != 0 || !number(&text, '-', generation) || !number(&text, '\n', sequence))
        return 0;
    return (size_t)(text - stream->line);
}

/// Returns whether an ID is consistent with all earlier IDs: it has the same generation, and its number increases with the
/// event's number.
static bool fits(struct load *load, uint64_t generation, uint64_t sequence, uint32_t event) {
    if (load->generation == 0) {
        load->generation = generation;
        load->id_offset = sequence - event;
    }
    return load->generation == generation && load->id_offset == sequence - event;
}

void take_shared(struct load *load, struct stream *stream, uint64_t time) {
    uint64_t stamp, generation = 0, id = 0;
    uint32_t sequence;
    if (!stream->opened) {
        size_t before = load->options.ids ? retry_length(stream) : 0;
        bool same = (before > 0) == load->options.ids &&
                    stream->length - before == shared_connected_event_length &&
                    memcmp(stream->line + before, shared_connected_event, shared_connected_event_length) == 0;
        return open_stream(load, stream, same);
    }
    size_t before = load->options.ids ? id_length(stream, &generation, &id) : 0;
    if ((before > 0) != load->options.ids ||
        !parse_shared(&load->expected, stream->line + before, stream->length - before, &stamp, &sequence) ||
        sequence < stream->expected || sequence >= load->options.events ||
        (load->options.ids && !fits(load, generation, id, sequence))) {
        load->damaged++;
        return;
    }
    load->missing += sequence - stream->expected;
    load->bytes += stream->length;
    stream->expected = sequence + 1;
    load->delays[load->events++] = time - stamp;
    if (stream->expected < load->options.events) return;
    stream->finished = time;
    load->complete++;
    if (load->closes) end_stream(load, stream);
}

/// Writes the result to standard output, and waits for the end of standard input. The caller therefore measures no time for closing
/// the streams.
static void wait_for_end(void) {
    char byte;
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0) {}
}

int run_follow(const struct options *options) {
    struct load load = {0};
    make_load(&load, options, take_shared);
    open_streams(&load);
    printf("{\"open\":%u,\"failed\":%u,\"damaged\":%" PRIu64 ",\"refusal\":\"%s\"}\n", load.open, load.failed,
           load.damaged, load.refusal);
    fflush(stdout);
    uint64_t deadline = now() + (options->seconds + GRACE_SECONDS) * second;
    while (load.complete < load.open && now() < deadline) turn(&load, 100);
    for (unsigned i = 0; i < options->streams; i++) load.missing += options->events - load.streams[i].expected;
    printf("{\"complete\":%u,\"failed\":%u,\"events\":%" PRIu64 ",\"missing\":%" PRIu64 ",\"damaged\":%" PRIu64 ",",
           load.complete, load.failed + load.ended, load.events, load.missing, load.damaged);
    print_percentiles(load.delays, load.events);
    printf("}\n");
    wait_for_end();
    return 0;
}

/// The sum of the results of all replays.
struct replays {
    unsigned count, failed;
    uint64_t events, bytes, missing, damaged, nanoseconds;
};

/// Reads all events from `first` on once, and adds the results to the sum.
static void replay_once(const struct options *options, struct replays *sum) {
    struct load load = {0};
    make_load(&load, options, take_shared);
    load.closes = true;
    uint64_t deadline = now() + GRACE_SECONDS * second;
    start_streams(&load);
    struct stream *stream = &load.streams[0];
    stream->expected = options->first;
    while (load.complete == 0 && load.failed + load.ended == 0 && now() < deadline) turn(&load, 100);
    sum->count += load.complete;
    sum->failed += load.complete == 0;
    sum->events += load.events;
    sum->bytes += load.bytes;
    sum->missing += load.missing;
    sum->damaged += load.damaged;
    if (load.complete) sum->nanoseconds += stream->finished - stream->asked;
    dispose_load(&load);
}

int run_replay(const struct options *options) {
    struct options one = *options;
    struct replays sum = {0};
    one.streams = 1;
    uint64_t end = now() + options->seconds * second;
    do replay_once(&one, &sum);
    while (now() < end && sum.failed == 0);
    printf("{\"replays\":%u,\"failed\":%u,\"events\":%" PRIu64 ",\"missing\":%" PRIu64 ",\"damaged\":%" PRIu64
           ",\"bytes\":%" PRIu64 ",\"seconds\":%.4f}\n",
           sum.count, sum.failed, sum.events, sum.missing, sum.damaged, sum.bytes, (double)sum.nanoseconds / 1e9);
    return 0;
}
