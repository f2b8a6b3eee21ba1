// `streams upstream`: an OpenCode server as far as a benchmark needs one, on one epoll loop.
//
//   GET /events?rate=R&count=N   N events, R a second, then a clean end; rate 0: a stream that says nothing more
//   GET /global/health           healthy
//   GET /stats                   how many streams are open

#define _GNU_SOURCE
#include "streams.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/// A connection from a proxy: it reads a request head, or it is in the middle of an event stream.
struct peer {
    int fd;
    bool streaming;
    char head[HEAD_LIMIT];
    size_t head_length;
    uint64_t interval, due;    // nanoseconds between two events (0: a silent stream) and the time of the next
    uint32_t sent, count;
    char pending[HEAD_LIMIT];  // what the socket did not take; no event is made while there is any
    size_t pending_length;
    struct peer *previous, *next;
};

struct upstream {
    int epoll, listener, timer;
    struct peer active;    // head of a ring: the streams that send events
    uint32_t streams;      // open ones, silent ones included
    uint32_t phase;        // spreads the streams' ticks over an interval
};

static void unlink_peer(struct peer *peer) {
    if (!peer->next) return;
    peer->next->previous = peer->previous;
    peer->previous->next = peer->next;
    peer->next = peer->previous = NULL;
}

static void end_stream(struct upstream *upstream, struct peer *peer) {
    if (peer->streaming) upstream->streams--;
    peer->streaming = false;
    unlink_peer(peer);
}

static void close_peer(struct upstream *upstream, struct peer *peer) {
    end_stream(upstream, peer);
    close(peer->fd);
    free(peer);
}

static void want_writable(struct upstream *upstream, struct peer *peer, bool writable) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | (writable ? EPOLLOUT : 0), .data.ptr = peer};
    checked(epoll_ctl(upstream->epoll, EPOLL_CTL_MOD, peer->fd, &event), "epoll_ctl");
}

/// Sends what the socket takes and keeps the rest. A broken connection is noticed by the loop, which reads its end.
static void send_to(struct upstream *upstream, struct peer *peer, const char *bytes, size_t length) {
    ssize_t taken = send(peer->fd, bytes, length, MSG_NOSIGNAL);
    if (taken < 0) taken = errno == EAGAIN ? 0 : (ssize_t)length;
    if ((size_t)taken == length) return;
    peer->pending_length = length - (size_t)taken;
    memcpy(peer->pending, bytes + taken, peer->pending_length);
    want_writable(upstream, peer, true);
}

static void flush_pending(struct upstream *upstream, struct peer *peer) {
    ssize_t taken = send(peer->fd, peer->pending, peer->pending_length, MSG_NOSIGNAL);
    if (taken < 0) return;
    peer->pending_length -= (size_t)taken;
    memmove(peer->pending, peer->pending + taken, peer->pending_length);
    if (peer->pending_length == 0) want_writable(upstream, peer, false);
}

static void send_json(struct upstream *upstream, struct peer *peer, const char *status, const char *body) {
    char answer[HEAD_LIMIT];
    int length = snprintf(
        answer, sizeof answer, "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
        status, strlen(body), body);
    send_to(upstream, peer, answer, (size_t)length);
}

static void begin_stream(struct upstream *upstream, struct peer *peer, unsigned rate, unsigned count) {
    char answer[HEAD_LIMIT];
    int length = snprintf(
        answer, sizeof answer,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
        "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%s\r\n",
        connected_event_length, connected_event);
    peer->streaming = true;
    peer->sent = 0;
    peer->count = count;
    upstream->streams++;
    if (rate) {
        peer->interval = second / rate;
        peer->due = now() + peer->interval + upstream->phase++ * 1000000ULL % peer->interval;
        peer->next = upstream->active.next;
        peer->previous = &upstream->active;
        peer->next->previous = peer->previous->next = peer;
    }
    send_to(upstream, peer, answer, (size_t)length);
}

static void answer_request(struct upstream *upstream, struct peer *peer) {
    char target[HEAD_LIMIT] = "", body[64];
    unsigned rate = 0, count = 0;
    sscanf(peer->head, "GET %2000s", target);
    if (sscanf(target, "/events?rate=%u&count=%u", &rate, &count) >= 1) {
        begin_stream(upstream, peer, rate, count);
    } else if (strcmp(target, "/global/health") == 0) {
        send_json(upstream, peer, "200 OK", "{\"healthy\":true,\"version\":\"bench\"}");
    } else if (strcmp(target, "/stats") == 0) {
        snprintf(body, sizeof body, "{\"streams\":%u}", upstream->streams);
        send_json(upstream, peer, "200 OK", body);
    } else {
        send_json(upstream, peer, "404 Not Found", "{}");
    }
}

static void serve_peer(struct upstream *upstream, struct peer *peer, uint32_t events) {
    if (events & EPOLLOUT) flush_pending(upstream, peer);
    if (!(events & ~(uint32_t)EPOLLOUT)) return;
    ssize_t length = recv(peer->fd, peer->head + peer->head_length, HEAD_LIMIT - 1 - peer->head_length, 0);
    if (length < 0 && errno == EAGAIN) return;
    if (length <= 0) return close_peer(upstream, peer);
    if (peer->streaming) return;
    peer->head_length += (size_t)length;
    peer->head[peer->head_length] = 0;
    if (strstr(peer->head, "\r\n\r\n")) {
        peer->head_length = 0;
        answer_request(upstream, peer);
    } else if (peer->head_length == HEAD_LIMIT - 1) {
        close_peer(upstream, peer);
    }
}

static void send_due_events(struct upstream *upstream) {
    uint64_t time = now();
    for (struct peer *peer = upstream->active.next, *next; peer != &upstream->active; peer = next) {
        next = peer->next;
        while (peer->due <= time && peer->pending_length == 0) {
            if (peer->sent == peer->count) {
                end_stream(upstream, peer);
                send_to(upstream, peer, "0\r\n\r\n", 5);
                break;
            }
            char event[EVENT_LIMIT], chunk[EVENT_LIMIT + 16];
            size_t size = format_delta(event, now(), peer->sent++);
            int length = snprintf(chunk, sizeof chunk, "%zx\r\n%s\r\n", size, event);
            peer->due += peer->interval;
            send_to(upstream, peer, chunk, (size_t)length);
        }
    }
}

static void accept_peers(struct upstream *upstream) {
    for (;;) {
        int fd = accept4(upstream->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
        if (fd < 0 && (errno == EAGAIN || errno == ECONNABORTED)) return;
        checked(fd, "accept");
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct peer *peer = allocated(1, sizeof *peer);
        peer->fd = fd;
        watch(upstream->epoll, fd, EPOLLIN | EPOLLRDHUP, peer);
    }
}

_Noreturn int run_upstream(void) {
    struct upstream upstream = {.epoll = checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    upstream.active.next = upstream.active.previous = &upstream.active;
    upstream.listener = checked(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
    checked(bind(upstream.listener, (struct sockaddr *)&address, size), "bind");
    checked(listen(upstream.listener, 4096), "listen");
    checked(getsockname(upstream.listener, (struct sockaddr *)&address, &size), "getsockname");
    upstream.timer = timer_every(now(), 1000000);
    watch(upstream.epoll, upstream.listener, EPOLLIN, &upstream.listener);
    watch(upstream.epoll, upstream.timer, EPOLLIN, &upstream.timer);
    printf("listening %d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        struct epoll_event events[BATCH];
        int count = epoll_wait(upstream.epoll, events, BATCH, -1);
        for (int i = 0; i < count; i++) {
            void *owner = events[i].data.ptr;
            if (owner == &upstream.listener) {
                accept_peers(&upstream);
            } else if (owner == &upstream.timer) {
                drain_timer(upstream.timer);
                send_due_events(&upstream);
            } else {
                serve_peer(&upstream, owner, events[i].events);
            }
        }
    }
}
