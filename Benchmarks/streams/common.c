// SPDX-License-Identifier: Apache-2.0

// Functions that several jobs use: errors, time, epoll, percentiles, and connections of clients.

#include "streams.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("streams: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

int checked(int result, const char *operation) {
    if (result < 0) die("%s: %s", operation, strerror(errno));
    return result;
}

void *allocated(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) die("out of memory");
    return memory;
}

uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec;
}

void watch(int epoll, int fd, uint32_t events, void *owner) {
    struct epoll_event event = {.events = events, .data.ptr = owner};
    checked(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

int timer_every(uint64_t first, uint64_t interval) {
    prctl(PR_SET_TIMERSLACK, 1000UL);
    int fd = checked(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), "timerfd_create");
    struct itimerspec times = {
        .it_value = {(time_t)(first / second), (long)(first % second)},
        .it_interval = {(time_t)(interval / second), (long)(interval % second)}};
    checked(timerfd_settime(fd, TFD_TIMER_ABSTIME, &times, NULL), "timerfd_settime");
    return fd;
}

void clear_timer(int timer) {
    uint64_t expirations;
    if (read(timer, &expirations, sizeof expirations) < 0 && errno != EAGAIN) die("timerfd: %s", strerror(errno));
}

static int by_value(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

void print_percentiles(uint64_t *samples, size_t count) {
    qsort(samples, count, sizeof *samples, by_value);
    double p50 = count ? (double)samples[count / 2] / 1e3 : 0;
    double p99 = count ? (double)samples[count * 99 / 100] / 1e3 : 0;
    double max = count ? (double)samples[count - 1] / 1e3 : 0;
    printf("\"p50_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f", p50, p99, max);
}

int connect_to(int port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = checked(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"), on = 1;
    checked(connect(fd, (struct sockaddr *)&address, sizeof address), "connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

size_t format_request(char *out, size_t limit, const struct options *options) {
    const char *key = getenv("BENCH_KEY");
    int length = snprintf(
        out, limit, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nAccept: */*\r\n\r\n",
        options->target, options->port, key ? key : "");
    if (length < 0 || (size_t)length >= limit) die("the request is longer than %zu bytes", limit);
    return (size_t)length;
}
