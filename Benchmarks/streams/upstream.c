// SPDX-License-Identifier: Apache-2.0

// `streams upstream` simulates an OpenCode server as far as the benchmarks need it, on one epoll loop.
//
//   GET /events?rate=R&count=N   a stream with N separate events, R a second, and a clean end; rate 0: a silent stream
//   GET /global/event            a stream of the shared events
//   GET /say?rate=R&count=N&size=B&directory=D   sends N shared events, R a second (0: as fast as possible), at least B bytes each
//   GET /global/health           responds that the server is healthy
//   GET /stats                   the number of open streams with separate events, and of open streams with shared events

#define _GNU_SOURCE
#include "upstream.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static void unlink_peer(struct peer *peer) {
    if (!peer->next) return;
    peer->next->previous = peer->previous;
    peer->previous->next = peer->next;
    peer->next = peer->previous = NULL;
}

static void end_stream(struct upstream *upstream, struct peer *peer) {
    if (peer->streaming) upstream->streams--;
    if (peer->shares) upstream->followers--;
    peer->streaming = peer->shares = false;
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

void send_to(struct upstream *upstream, struct peer *peer, const char *bytes, size_t length) {
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

void link_peer(struct peer *ring, struct peer *peer) {
    peer->next = ring->next;
    peer->previous = ring;
    peer->next->previous = peer->previous->next = peer;
}

void send_opening(struct upstream *upstream, struct peer *peer, const char *event, size_t event_length) {
    char answer[HEAD_LIMIT];
    int length = snprintf(
        answer, sizeof answer,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
        "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%s\r\n",
        event_length, event);
    send_to(upstream, peer, answer, (size_t)length);
}

static void begin_stream(struct upstream *upstream, struct peer *peer, unsigned rate, unsigned count) {
    peer->streaming = true;
    peer->sent = 0;
    peer->count = count;
    upstream->streams++;
    if (rate) {
        peer->interval = second / rate;
        peer->due = now() + peer->interval + upstream->phase++ * 1000000ULL % peer->interval;
        link_peer(&upstream->active, peer);
    }
    send_opening(upstream, peer, connected_event, connected_event_length);
}

static void answer_request(struct upstream *upstream, struct peer *peer) {
    char target[HEAD_LIMIT] = "", body[64];
    unsigned rate = 0, count = 0;
    sscanf(peer->head, "GET %2000s", target);
    if (sscanf(target, "/events?rate=%u&count=%u", &rate, &count) >= 1) {
        begin_stream(upstream, peer, rate, count);
    } else if (strcmp(target, "/global/event") == 0) {
        begin_shared(upstream, peer);
    } else if (strncmp(target, "/say?", 5) == 0) {
        bool begins = begin_share(upstream, target);
        send_json(upstream, peer, begins ? "200 OK" : "400 Bad Request", "{}");
    } else if (strcmp(target, "/global/health") == 0) {
        send_json(upstream, peer, "200 OK", "{\"healthy\":true,\"version\":\"bench\"}");
    } else if (strcmp(target, "/stats") == 0) {
        snprintf(body, sizeof body, "{\"streams\":%u,\"followers\":%u}", upstream->streams,
                 upstream->followers);
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
    if (peer->streaming || peer->shares) return;
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
    upstream.shared.next = upstream.shared.previous = &upstream.shared;
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
                clear_timer(upstream.timer);
                send_due_events(&upstream);
                send_shared(&upstream);
            } else {
                serve_peer(&upstream, owner, events[i].events);
            }
        }
    }
}
