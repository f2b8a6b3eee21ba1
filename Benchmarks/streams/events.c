// SPDX-License-Identifier: Apache-2.0

// The format of the events. The upstream writes the events, and the reader checks every byte.

#include "streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char connected_event[] =
    "data: {\"id\":\"evt_bench\",\"type\":\"server.connected\",\"properties\":{}}\n\n";
const size_t connected_event_length = sizeof connected_event - 1;

/// The text before an event's time stamp and sequence number, which both have a fixed width.
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

// Shared events.

const char shared_connected_event[] =
    "data: {\"payload\":{\"type\":\"server.connected\",\"properties\":{}}}\n\n";
const size_t shared_connected_event_length = sizeof shared_connected_event - 1;

/// The number of digits of the time stamp and of the sequence number.
enum { STAMP_DIGITS = 16, SEQUENCE_DIGITS = 8 };

size_t format_shared(char *out, const char *directory, unsigned size, uint64_t stamp, uint32_t sequence) {
    static const char end[] = "\"}}}\n\n";
    size_t tail = sizeof end - 1;
    int length = snprintf(
        out, EVENT_LIMIT,
        "data: {\"directory\":\"%s\",\"payload\":{\"id\":\"evt_%016" PRIx64 "%08" PRIx32
        "\",\"type\":\"message.part.delta\",\"properties\":{"
        "\"sessionID\":\"ses_benchbenchbenchbenchbenchbe\",\"messageID\":\"msg_benchbenchbenchbenchbenchbe\","
        "\"partID\":\"prt_benchbenchbenchbenchbenchbe\",\"field\":\"text\",\"delta\":\"token ",
        directory, stamp, sequence);
    if (length < 0 || (size_t)length + tail >= EVENT_LIMIT || size >= EVENT_LIMIT)
        die("an event of %u bytes in %s is longer than %d", size, directory, EVENT_LIMIT);
    size_t used = (size_t)length;
    while (used + tail < size) out[used++] = 'x';
    memcpy(out + used, end, sizeof end);
    return used + tail;
}

void make_template(struct shared_template *out, const char *directory, unsigned size) {
    out->length = format_shared(out->event, directory, size, 0, 0);
    out->stamp_at = (size_t)(strstr(out->event, "\"id\":\"evt_") - out->event) + 10;
}

/// Reads lower-case hexadecimal digits. Returns false if any other character occurs.
static bool hexadecimal(const char *digits, size_t count, uint64_t *value) {
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        char digit = digits[i];
        bool decimal = digit >= '0' && digit <= '9';
        if (!decimal && (digit < 'a' || digit > 'f')) return false;
        *value = *value << 4 | (uint64_t)(decimal ? digit - '0' : digit - 'a' + 10);
    }
    return true;
}

bool parse_shared(const struct shared_template *expected, const char *event, size_t length, uint64_t *stamp,
                  uint32_t *sequence) {
    size_t at = expected->stamp_at, behind = at + STAMP_DIGITS + SEQUENCE_DIGITS;
    uint64_t number;
    if (length != expected->length || memcmp(event, expected->event, at) != 0 ||
        memcmp(event + behind, expected->event + behind, length - behind) != 0 ||
        !hexadecimal(event + at, STAMP_DIGITS, stamp) ||
        !hexadecimal(event + at + STAMP_DIGITS, SEQUENCE_DIGITS, &number))
        return false;
    *sequence = (uint32_t)number;
    return true;
}
