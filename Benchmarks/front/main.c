// SPDX-License-Identifier: Apache-2.0

// A server that consists only of libmicrohttpd, which is configured as in the gateway. The server responds to every request from
// memory. The server's processor time is the time of a gateway whose own code costs nothing.
//
//   front BODY POOL    prints the server's port; POOL is the size of libmicrohttpd's memory pool for a connection, in bytes

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { THREADS = 2, MOST_AT_ONCE = 4 };

static int listener;
static const char *body;
static size_t body_length, pool;

// As in the gateway, the first call only receives the head, and a later call queues the response.
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *size, void **request) {
    (void)context, (void)url, (void)method, (void)version, (void)data, (void)size;
    static char seen;
    if (*request == NULL) {
        *request = &seen;
        return MHD_YES;
    }
    *request = NULL;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(body_length, (void *)body, MHD_RESPMEM_PERSISTENT);
    if (response == NULL) return MHD_NO;
    MHD_add_response_header(response, "Content-Type", "application/json");
    enum MHD_Result queued = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return queued;
}

static void watch(int epoll, int descriptor, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = descriptor};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) err(1, "epoll_ctl");
}

static void accept_some(struct MHD_Daemon *daemon, int epoll) {
    for (int count = 0; count < MOST_AT_ONCE; count++) {
        struct sockaddr_storage address;
        socklen_t length = sizeof address;
        int client = accept4(listener, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client < 0) return;
        // The gateway also watches these events, to detect that a client disconnects while it waits for a response.
        watch(epoll, client, EPOLLIN | EPOLLRDHUP | EPOLLET);
        MHD_add_connection(daemon, client, (struct sockaddr *)&address, length);
    }
}

static void *loop(void *unused) {
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, NULL,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, pool, MHD_OPTION_CONNECTION_LIMIT, 1000u, MHD_OPTION_END);
    if (daemon == NULL) errx(1, "libmicrohttpd does not start");
    int inner = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    watch(epoll, listener, EPOLLIN | EPOLLEXCLUSIVE);
    watch(epoll, inner, EPOLLIN);
    for (int is_wanted = 0;;) {
        struct epoll_event events[64];
        int count = epoll_wait(epoll, events, 64, is_wanted ? 0 : -1);
        for (int index = 0; index < count; index++) {
            if (events[index].data.fd == listener) accept_some(daemon, epoll);
            if (events[index].data.fd == listener || events[index].data.fd == inner) is_wanted = 1;
        }
        if (!is_wanted) continue;
        MHD_UNSIGNED_LONG_LONG timeout = 1;
        MHD_run(daemon);
        is_wanted = MHD_get_timeout(daemon, &timeout) == MHD_YES && timeout == 0;
    }
    return unused;
}

int main(int count, char **arguments) {
    if (count != 3) errx(2, "usage: front BODY POOL");
    body = arguments[1];
    body_length = strlen(body);
    pool = strtoul(arguments[2], NULL, 10);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 4096) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        err(1, "listening on 127.0.0.1");
    printf("front listens on %d\n", ntohs(address.sin_port));
    fflush(stdout);
    pthread_t threads[THREADS];
    for (int index = 0; index < THREADS; index++)
        if (pthread_create(&threads[index], NULL, loop, NULL) != 0) errx(1, "no thread could be started");
    pthread_join(threads[0], NULL);
}
