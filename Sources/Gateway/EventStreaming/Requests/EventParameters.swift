// SPDX-License-Identifier: Apache-2.0

import EventHub
package import GatewayCore
import HTTPTypes
import JSONText

extension Endpoint.Parameter {
    /// The query parameters of a project's events.
    package static let projectEvents: [Self] = allEvents + [speak]

    /// The query parameters of all projects' events.
    package static let allEvents: [Self] = [session, types, since, wait, form, maxRate]

    private static let session = Self(
        name: "session",
        meaning: "Send only events of the session with this id and of its child sessions. Default: all sessions.",
        schema: ["type": "string"])

    private static let types = Self(
        name: "types",
        meaning: "Send only events of these types: names, or prefixes followed by `*`, separated by commas, "
            + "for example `message.*,session.idle`. Default: all types.",
        schema: ["type": "string", "pattern": "^,*([^*,]*\\*|[^*,]+)?(,+([^*,]*\\*|[^*,]+))*,*$"])

    private static let since = Self(
        name: "since",
        meaning:
            "Position at which the stream begins: after the event with this id, at a time (RFC 3339), or at `now` (the default). The field "
            + "`Last-Event-ID` takes precedence. After an unknown id, the stream reports a gap and continues with "
            + "new events.",
        schema: ["type": "string"])

    private static let wait = Self(
        name: "wait",
        meaning:
            "Return one page of JSON instead of a stream, as soon as there is an event, or after this number of seconds.",
        schema: ["type": "integer", "minimum": 0, "maximum": .number(Number(EventQuery.longestWait))])

    private static let form = Self(
        name: "form",
        meaning:
            "Encoding of text that the model is still writing. `raw`: as OpenCode sends it (the default). `delta`: only the new "
            + "text in each event. `full`: the whole text so far in each event. OpenCode 2's events are not changed.",
        schema: ["type": "string", "enum": .array(EventEncoding.allCases.map { .string($0.rawValue) })])

    private static let speak = Self(
        name: "speak",
        meaning: "`1`: send the events of either family in OpenCode 1's format. Default: unchanged.",
        schema: ["type": "string", "enum": ["1"]])

    private static let maxRate = Self(
        name: "max_rate",
        meaning: "Maximum number of updates of one text per second; further updates are joined. Default: no limit.",
        schema: ["type": "integer", "minimum": 1, "maximum": .number(Number(EventQuery.largestRate))])
}
