// SPDX-License-Identifier: Apache-2.0

// Reads event streams from their connections, on one epoll loop. Parses the heads, the chunks and the events.

#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/// The maximum number of pending requests for streams. The limit prevents an overflow of the proxy's accept queue.
static const unsigned opening_limit = 64;

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

/// Marks a stream as failed because its head is not as expected. Stores the first such status line for the report.
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
    end_stream(load, stream);
}

void open_stream(struct load *load, struct stream *stream, bool as_expected) {
    if (!as_expected) load->damaged++;
    stream->opened = true;
    load->open++;
    load->settled++;
}

void end_stream(struct load *load, struct stream *stream) {
    stream->place = ENDED;
    load->ended++;
    load->open--;
    close(stream->fd);
}

/// Appends a part of the body. The part may contain a line end only as its last byte.
static void take_piece(struct load *load, struct stream *stream, const char *bytes, size_t length, uint64_t time) {
    if (stream->length + length >= EVENT_LIMIT) {
        load->damaged++;
        stream->length = 0;
        return;
    }
    bool blank = length == 1 && bytes[0] == '\n' && stream->length > 0 && stream->line[stream->length - 1] == '\n';
    memcpy(stream->line + stream->length, bytes, length);
    stream->length += length;
    stream->line[stream->length] = 0;
    if (!blank) return;
    load->take_event(load, stream, time);
    stream->length = 0;
}

static void take_body(struct load *load, struct stream *stream, const char *bytes, size_t length, uint64_t time) {
    while (length > 0 && stream->place != ENDED) {
        const char *end = memchr(bytes, '\n', length);
        size_t piece = end ? (size_t)(end - bytes) + 1 : length;
        take_piece(load, stream, bytes, piece, time);
        bytes += piece;
        length -= piece;
    }
}

/// Appends bytes to the head, and returns the number of bytes that belong to the head.
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

/// Handles one byte of a chunk's size line, of the line end after a chunk's data, or of the empty line after the last chunk.
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
            if (stream->chunk_left == 0 && stream->place == CHUNK_DATA) stream->place = CHUNK_END;
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

void start_streams(struct load *load) {
    while (load->started < load->options.streams &&
           load->started < load->settled + opening_limit) {
        struct stream *stream = &load->streams[load->started++];
        stream->asked = now();
        stream->fd = connect_to(load->options.port);
        if (send(stream->fd, load->request, load->request_length, MSG_NOSIGNAL) < 0) {
            fail_stream(load, stream);
        } else {
            watch(load->epoll, stream->fd, EPOLLIN | EPOLLRDHUP, stream);
        }
    }
}

bool turn(struct load *load, int timeout_milliseconds) {
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

void open_streams(struct load *load) {
    uint64_t start = now();
    while (load->settled < load->options.streams && now() < start + OPEN_SECONDS * second) {
        start_streams(load);
        turn(load, 100);
    }
}

void make_load(struct load *load, const struct options *options,
               void (*take_event)(struct load *, struct stream *, uint64_t)) {
    load->options = *options;
    load->take_event = take_event;
    load->epoll = checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    load->request_length = format_request(load->request, sizeof load->request, options);
    load->streams = allocated(options->streams, sizeof *load->streams);
    load->delays = allocated((size_t)options->streams * options->events, sizeof *load->delays);
    if (options->directory) make_template(&load->expected, options->directory, options->size);
}

void dispose_load(struct load *load) {
    for (unsigned i = 0; i < load->started; i++)
        if (load->streams[i].place != ENDED && load->streams[i].place != FAILED) close(load->streams[i].fd);
    close(load->epoll);
    free(load->streams);
    free(load->delays);
}
