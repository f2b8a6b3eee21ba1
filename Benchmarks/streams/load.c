// SPDX-License-Identifier: Apache-2.0

// `streams hold` and `streams read` open many event streams through a proxy. Each stream has separate events, or is silent.

#include "load.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static void take_own(struct load *load, struct stream *stream, uint64_t time) {
    uint64_t stamp;
    uint32_t sequence;
    if (!stream->opened) {
        bool same = stream->length == connected_event_length && !memcmp(stream->line, connected_event, stream->length);
        open_stream(load, stream, same);
    } else if (!parse_delta(stream->line, stream->length, &stamp, &sequence) || sequence < stream->expected ||
               sequence >= load->options.events) {
        load->damaged++;
    } else {
        load->missing += sequence - stream->expected;
        stream->expected = sequence + 1;
        load->delays[load->events++] = time - stamp;
    }
}

int run_hold(const struct options *options) {
    struct load load = {0};
    uint64_t start = now();
    make_load(&load, options, options->directory ? take_shared : take_own);
    open_streams(&load);
    printf("{\"open\":%u,\"failed\":%u,\"refusal\":\"%s\",\"seconds\":%.3f}\n", load.open, load.failed, load.refusal,
           (double)(now() - start) / 1e9);
    fflush(stdout);
    watch(load.epoll, STDIN_FILENO, EPOLLIN, NULL);
    while (turn(&load, -1)) {}
    printf("{\"open\":%u,\"failed\":%u,\"damaged\":%" PRIu64 "}\n", load.open, load.failed + load.ended,
           load.damaged);
    return 0;
}

int run_read(const struct options *options) {
    struct load load = {0};
    uint64_t start = now();
    make_load(&load, options, take_own);
    uint64_t limit = (uint64_t)options->seconds + OPEN_SECONDS + GRACE_SECONDS;
    while (load.ended + load.failed < options->streams && now() < start + limit * second) {
        start_streams(&load);
        turn(&load, 100);
    }
    for (unsigned i = 0; i < options->streams; i++)
        if (load.streams[i].place != ENDED) load.missing += options->events - load.streams[i].expected;
    printf("{\"ended\":%u,\"failed\":%u,\"events\":%" PRIu64 ",\"missing\":%" PRIu64 ",\"damaged\":%" PRIu64 ",",
           load.ended, options->streams - load.ended, load.events, load.missing, load.damaged);
    print_percentiles(load.delays, load.events);
    printf(",\"refusal\":\"%s\",\"seconds\":%.3f}\n", load.refusal, (double)(now() - start) / 1e9);
    return 0;
}
