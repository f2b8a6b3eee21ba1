// The events, known to both ends: the upstream writes them and the reader checks every byte.

#include "streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char connected_event[] =
    "data: {\"id\":\"evt_bench\",\"type\":\"server.connected\",\"properties\":{}}\n\n";
const size_t connected_event_length = sizeof connected_event - 1;

/// The text before the time stamp and the sequence number of an event: both have a fixed width.
static const char delta_prefix[] = "data: {\"id\":\"evt_";

size_t format_delta(char *out, uint64_t stamp, uint32_t sequence) {
    int length = snprintf(
        out, EVENT_LIMIT,
        "%s%016" PRIx64 "%08" PRIx32 "\",\"type\":\"message.part.delta\",\"properties\":{"
        "\"sessionID\":\"ses_benchbenchbenchbenchbenchbe\",\"messageID\":\"msg_benchbenchbenchbenchbenchbe\","
        "\"partID\":\"prt_benchbenchbenchbenchbenchbe\",\"field\":\"text\",\"delta\":\"token \"}}\n\n",
        delta_prefix, stamp, sequence);
    return (size_t)length;
}

bool parse_delta(const char *event, size_t length, uint64_t *stamp, uint32_t *sequence) {
    char expected[EVENT_LIMIT];
    size_t prefix = sizeof delta_prefix - 1;
    if (length < prefix + 24 || sscanf(event + prefix, "%16" SCNx64 "%8" SCNx32, stamp, sequence) != 2) return false;
    return format_delta(expected, *stamp, *sequence) == length && memcmp(event, expected, length) == 0;
}
