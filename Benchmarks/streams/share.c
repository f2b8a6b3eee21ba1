// SPDX-License-Identifier: Apache-2.0

// The shared events of the upstream. The upstream creates each event once, and sends it to all streams at the same time, as
// OpenCode does.

#include "upstream.h"

#include <stdio.h>
#include <string.h>

/// The maximum number of events in one tick, if the upstream sends events as fast as possible.
static const unsigned burst = 256;

void begin_shared(struct upstream *upstream, struct peer *peer) {
    peer->shares = true;
    upstream->followers++;
    link_peer(&upstream->shared, peer);
    send_opening(upstream, peer, shared_connected_event, shared_connected_event_length);
}

bool begin_share(struct upstream *upstream, const char *target) {
    struct share *share = &upstream->share;
    unsigned rate, count, size;
    char directory[HEAD_LIMIT];
    if (sscanf(target, "/say?rate=%u&count=%u&size=%u&directory=%2000s", &rate, &count, &size, directory) != 4 ||
        strlen(directory) + 300 > EVENT_LIMIT || size >= EVENT_LIMIT)
        return false;
    strcpy(share->directory, directory);
    share->size = size;
    share->sent = 0;
    share->count = count;
    share->interval = rate ? second / rate : 0;
    share->due = now() + share->interval;
    return true;
}

static bool somebody_waits(const struct upstream *upstream) {
    for (const struct peer *peer = upstream->shared.next; peer != &upstream->shared; peer = peer->next)
        if (peer->pending_length > 0) return true;
    return false;
}

void send_shared(struct upstream *upstream) {
    struct share *share = &upstream->share;
    uint64_t time = now();
    for (unsigned i = 0; i < burst; i++) {
        if (share->sent == share->count || share->due > time || somebody_waits(upstream)) return;
        char event[EVENT_LIMIT], chunk[HEAD_LIMIT];
        size_t size = format_shared(event, share->directory, share->size, now(), share->sent++);
        int length = snprintf(chunk, sizeof chunk, "%zx\r\n%s\r\n", size, event);
        share->due += share->interval;
        for (struct peer *peer = upstream->shared.next; peer != &upstream->shared; peer = peer->next)
            send_to(upstream, peer, chunk, (size_t)length);
    }
}
