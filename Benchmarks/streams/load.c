// `streams hold` and `streams read`: many event streams through a proxy, read on one epoll loop.

#define _GNU_SOURCE
#include "streams.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/// Streams asked for and not yet answered, so that no accept queue overflows.
static const unsigned opening_limit = 64;

/// Where a stream's reader stands: in the answer's head, in a chunk's size line, in its data, behind its data, or done.
enum place { HEAD, CHUNK_SIZE, CHUNK_DATA, CHUNK_END, LAST_LINE, UNFRAMED, ENDED, FAILED };

struct stream {
    int fd;
    enum place place;
    bool opened;
    size_t chunk_left;
    uint32_t expected;           // the next event's sequence number
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
};

static void fail_stream(struct load *load, struct stream *stream) {
    if (stream->place == ENDED || stream->place == FAILED) return;
    stream->place = FAILED;
    load->failed++;
    if (stream->opened) {
        load->open--;
    } else {
        load->settled++;
    }
    close(stream->fd);
}

/// Fails a stream whose head is not what was asked for, and keeps the first such status line for the report.
static void refuse_stream(struct load *load, struct stream *stream) {
    if (!load->refusal[0]) {
        for (size_t i = 0; i < sizeof load->refusal - 1; i++) {
            char byte = stream->line[i];
            if (byte < ' ' || byte > '~') break;
            load->refusal[i] = byte == '"' || byte == '\\' ? '?' : byte;
        }
    }
    fail_stream(load, stream);
}

static void finish_stream(struct load *load, struct stream *stream) {
    if (!stream->opened) return fail_stream(load, stream);
    if (stream->length > 0) load->damaged++;
    load->missing += load->options.events - stream->expected;
    stream->place = ENDED;
    load->ended++;
    load->open--;
    close(stream->fd);
}

static void take_event(struct load *load, struct stream *stream, uint64_t time) {
    uint64_t stamp;
    uint32_t sequence;
    if (!stream->opened) {
        if (stream->length != connected_event_length || memcmp(stream->line, connected_event, stream->length))
            load->damaged++;
        stream->opened = true;
        load->open++;
        load->settled++;
    } else if (!parse_delta(stream->line, stream->length, &stamp, &sequence) || sequence < stream->expected ||
               sequence >= load->options.events) {
        load->damaged++;
    } else {
        load->missing += sequence - stream->expected;
        stream->expected = sequence + 1;
        load->delays[load->events++] = time - stamp;
    }
    stream->length = 0;
}

static void take_body(struct load *load, struct stream *stream, const char *bytes, size_t length, uint64_t time) {
    for (size_t i = 0; i < length; i++) {
        if (stream->length == EVENT_LIMIT - 1) {
            load->damaged++;
            stream->length = 0;
        }
        stream->line[stream->length++] = bytes[i];
        stream->line[stream->length] = 0;
        if (bytes[i] == '\n' && stream->length > 1 && stream->line[stream->length - 2] == '\n')
            take_event(load, stream, time);
    }
}

/// Adds bytes to the head; returns how many of them belong to it.
static size_t take_head(struct load *load, struct stream *stream, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (stream->length == HEAD_LIMIT - 1) break;
        stream->line[stream->length++] = bytes[i];
        stream->line[stream->length] = 0;
        if (stream->length < 4 || memcmp(stream->line + stream->length - 4, "\r\n\r\n", 4) != 0) continue;
        if (strncmp(stream->line, "HTTP/1.1 200", 12) != 0) break;
        stream->place = strcasestr(stream->line, "\r\nTransfer-Encoding: chunked\r\n") ? CHUNK_SIZE : UNFRAMED;
        stream->length = 0;
        return i + 1;
    }
    if (stream->length == HEAD_LIMIT - 1 || (stream->length >= 4 && strstr(stream->line, "\r\n\r\n")))
        refuse_stream(load, stream);
    return length;
}

/// Takes one byte of a chunk's size line, of the line end behind its data, or of the empty line behind the last chunk.
static void take_framing(struct load *load, struct stream *stream, char byte) {
    if (stream->size_length == sizeof stream->size_line - 1) return fail_stream(load, stream);
    stream->size_line[stream->size_length++] = byte;
    stream->size_line[stream->size_length] = 0;
    if (byte != '\n') return;
    bool empty = strcmp(stream->size_line, "\r\n") == 0;
    stream->size_length = 0;
    if (stream->place == CHUNK_SIZE) {
        char *end;
        stream->chunk_left = strtoull(stream->size_line, &end, 16);
        if (end == stream->size_line) return fail_stream(load, stream);
        stream->place = stream->chunk_left ? CHUNK_DATA : LAST_LINE;
    } else if (!empty) {
        fail_stream(load, stream);
    } else if (stream->place == CHUNK_END) {
        stream->place = CHUNK_SIZE;
    } else {
        finish_stream(load, stream);
    }
}

static void take_bytes(struct load *load, struct stream *stream, const char *bytes, size_t length, uint64_t time) {
    while (length > 0 && stream->place != ENDED && stream->place != FAILED) {
        size_t used = 1;
        switch (stream->place) {
        case HEAD: used = take_head(load, stream, bytes, length); break;
        case UNFRAMED:
            used = length;
            take_body(load, stream, bytes, used, time);
            break;
        case CHUNK_DATA:
            used = length < stream->chunk_left ? length : stream->chunk_left;
            take_body(load, stream, bytes, used, time);
            stream->chunk_left -= used;
            if (stream->chunk_left == 0) stream->place = CHUNK_END;
            break;
        default: take_framing(load, stream, *bytes); break;
        }
        bytes += used;
        length -= used;
    }
}

static void read_stream(struct load *load, struct stream *stream) {
    static char buffer[65536];
    ssize_t length = recv(stream->fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length > 0) return take_bytes(load, stream, buffer, (size_t)length, now());
    if (length == 0 && stream->place == UNFRAMED) return finish_stream(load, stream);
    fail_stream(load, stream);
}

static void start_streams(struct load *load) {
    while (load->started < load->options.streams &&
           load->started < load->settled + opening_limit) {
        struct stream *stream = &load->streams[load->started++];
        stream->fd = connect_to(load->options.port);
        if (send(stream->fd, load->request, load->request_length, MSG_NOSIGNAL) < 0) {
            fail_stream(load, stream);
        } else {
            watch(load->epoll, stream->fd, EPOLLIN | EPOLLRDHUP, stream);
        }
    }
}

/// One pass of the loop; returns false when standard input ended.
static bool turn(struct load *load, int timeout_milliseconds) {
    struct epoll_event events[BATCH];
    bool goes_on = true;
    int count = epoll_wait(load->epoll, events, BATCH, timeout_milliseconds);
    for (int i = 0; i < count; i++) {
        if (events[i].data.ptr) {
            read_stream(load, events[i].data.ptr);
        } else {
            char byte;
            goes_on = read(STDIN_FILENO, &byte, 1) > 0;
        }
    }
    return goes_on;
}

static void make_load(struct load *load, const struct options *options) {
    load->options = *options;
    load->epoll = checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    load->request_length = format_request(load->request, sizeof load->request, options);
    load->streams = allocated(options->streams, sizeof *load->streams);
    load->delays = allocated((size_t)options->streams * options->events, sizeof *load->delays);
}

int run_hold(const struct options *options) {
    struct load load = {0};
    uint64_t start = now();
    make_load(&load, options);
    while (load.settled < options->streams && now() < start + OPEN_SECONDS * second) {
        start_streams(&load);
        turn(&load, 100);
    }
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
    make_load(&load, options);
    uint64_t limit = (uint64_t)options->seconds + OPEN_SECONDS + DRAIN_SECONDS;
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
