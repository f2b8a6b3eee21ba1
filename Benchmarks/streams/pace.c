// SPDX-License-Identifier: Apache-2.0

// `streams rate` sends requests at a constant rate that does not depend on the responses (an open loop). The latency of a request
// is measured from its scheduled time. If a proxy stalls, the latencies of all requests that wait therefore include the stall.

#define _GNU_SOURCE
#include "streams.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 32 };

/// A kept-alive connection with at most one pending request.
struct caller {
    int fd;
    bool busy;
    uint64_t intended;       // the scheduled time of the request
    uint32_t request;        // the number of the request in the schedule
    size_t received, total;  // the received and the total bytes of the response; `total` is 0 until the head is complete
    char head[HEAD_LIMIT];
};

struct pace {
    struct options options;
    char request[HEAD_LIMIT];
    size_t request_length;
    struct caller callers[CONNECTIONS];
    int turn;  // the next connection; the requests use all connections in turn, so that each thread of a proxy serves some of them
    uint64_t start, interval;
    uint32_t planned, sent, warm_up, answered, errors, bad_status;
    uint64_t *delays;
    size_t measured;
};

static void break_caller(struct pace *pace, struct caller *caller) {
    pace->errors++;
    close(caller->fd);
    caller->fd = -1;
}

/// Sends the requests that are due on free connections. If no connection is free, a request waits, and its latency includes the wait.
static void send_due_requests(struct pace *pace) {
    uint64_t time = now();
    for (int i = 0; i < CONNECTIONS; i++) {
        struct caller *caller = &pace->callers[pace->turn];
        uint64_t due = pace->start + pace->sent * pace->interval;
        if (pace->sent == pace->planned || due > time) return;
        pace->turn = (pace->turn + 1) % CONNECTIONS;
        if (caller->busy || caller->fd < 0) continue;
        *caller = (struct caller){.fd = caller->fd, .busy = true, .intended = due, .request = pace->sent++};
        ssize_t taken = send(caller->fd, pace->request, pace->request_length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (taken != (ssize_t)pace->request_length) break_caller(pace, caller);
    }
}

/// Returns the length of the whole response. Returns 0 if the head is incomplete or has no Content-Length.
static size_t answer_length(const struct caller *caller) {
    const char *end = strstr(caller->head, "\r\n\r\n"), *field = strcasestr(caller->head, "\r\nContent-Length:");
    if (!end || !field || field > end) return 0;
    return (size_t)(end + 4 - caller->head) + strtoull(field + 17, NULL, 10);
}

static void receive_answer(struct pace *pace, struct caller *caller) {
    char rest[HEAD_LIMIT];
    bool room = caller->received < HEAD_LIMIT - 1;
    ssize_t length = recv(caller->fd, room ? caller->head + caller->received : rest,
                          room ? HEAD_LIMIT - 1 - caller->received : sizeof rest, MSG_DONTWAIT);
    if (length < 0 && errno == EAGAIN) return;
    if (length <= 0 || !caller->busy) return break_caller(pace, caller);
    caller->received += (size_t)length;
    if (caller->total == 0) caller->total = answer_length(caller);
    if (caller->total == 0 || caller->received < caller->total) {
        if (caller->total == 0 && caller->received >= HEAD_LIMIT - 1) break_caller(pace, caller);
        return;
    }
    if (strncmp(caller->head, "HTTP/1.1 200", 12) != 0) pace->bad_status++;
    if (caller->request >= pace->warm_up) pace->delays[pace->measured++] = now() - caller->intended;
    pace->answered++;
    caller->busy = false;
}

int run_rate(const struct options *options) {
    struct pace pace = {.options = *options, .planned = options->rate * options->seconds};
    struct epoll_event events[BATCH];
    int epoll = checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    if (options->rate == 0) die("--rate is missing: how many requests a second?");
    pace.request_length = format_request(pace.request, sizeof pace.request, options);
    pace.delays = allocated(pace.planned, sizeof *pace.delays);
    pace.warm_up = options->rate / 2;
    for (int i = 0; i < CONNECTIONS; i++) {
        pace.callers[i].fd = connect_to(options->port);
        watch(epoll, pace.callers[i].fd, EPOLLIN | EPOLLRDHUP, &pace.callers[i]);
    }
    pace.interval = second / options->rate;
    pace.start = now() + 10 * pace.interval;
    int timer = timer_every(pace.start, pace.interval);
    watch(epoll, timer, EPOLLIN, NULL);
    uint64_t deadline = pace.start + (options->seconds + GRACE_SECONDS) * second;
    while (pace.answered + pace.errors < pace.planned && now() < deadline) {
        int count = epoll_wait(epoll, events, BATCH, 100);
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr) {
                receive_answer(&pace, events[i].data.ptr);
            } else {
                clear_timer(timer);
            }
        }
        send_due_requests(&pace);
    }
    printf("{\"planned\":%u,\"answered\":%u,\"errors\":%u,\"bad_status\":%u,", pace.planned, pace.answered,
           pace.planned - pace.answered, pace.bad_status);
    print_percentiles(pace.delays, pace.measured);
    printf("}\n");
    return 0;
}
