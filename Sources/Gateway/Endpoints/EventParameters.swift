// SPDX-License-Identifier: Apache-2.0

import EventHub
import HTTPTypes

extension Endpoint.Parameter {
    /// The query parameters of a project's events.
    static let projectEvents: [Self] = allEvents + [speak]

    /// The query parameters of all projects' events.
    static let allEvents: [Self] = [session, types, since, wait, form, maxRate]

    private static let session = Self(
        name: "session", meaning: "Only events of the session with this id and of its child sessions. Without it all.",
        form: ["type": "string"])

    private static let types = Self(
        name: "types",
        meaning: "Only events of these types: names, or their beginnings with `*` behind, with commas between them, "
            + "for example `message.*,session.idle`. Without it all.",
        form: ["type": "string", "pattern": "^,*([^*,]*\\*|[^*,]+)?(,+([^*,]*\\*|[^*,]+))*,*$"])

    private static let since = Self(
        name: "since",
        meaning:
            "Where to begin: behind the event with this id, at a time (RFC 3339), or `now`, as without it. A field "
            + "`Last-Event-ID` counts more. An id that was never given is told as a gap, and what is said from "
            + "then on comes.",
        form: ["type": "string"])

    private static let wait = Self(
        name: "wait",
        meaning:
            "One page of JSON instead of a stream: as soon as there is an event, at the latest after so many seconds.",
        form: ["type": "integer", "minimum": 0, "maximum": .number(EventQuery.longestWait)])

    private static let form = Self(
        name: "form",
        meaning:
            "How text that grows is told: `raw` as OpenCode tells it (as without it), `delta` in pieces, `full` as "
            + "the whole text each time. OpenCode 2's events are always as they are.",
        form: ["type": "string", "enum": .array(EventEncoding.allCases.map { .string($0.rawValue) })])

    private static let speak = Self(
        name: "speak",
        meaning: "`1`: every event as OpenCode 1's, whichever family sent it. Without it unchanged.",
        form: ["type": "string", "enum": ["1"]])

    private static let maxRate = Self(
        name: "max_rate",
        meaning: "The most pieces of one text a second: neighbouring ones are joined. Without it all.",
        form: ["type": "integer", "minimum": 1, "maximum": .number(EventQuery.largestRate)])
}
