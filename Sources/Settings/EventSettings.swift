/// What is kept of what instances say, and how it is told.
package struct EventSettings: Sendable, Equatable {
    /// Whether the gateway listens to instances itself and serves their event streams.
    package internal(set) var isHubOn = false
    /// Bytes that are kept of one project; 0: 4 MiB in memory, nothing on the disk.
    package internal(set) var keepSize = 0
    /// How long an event is kept.
    package internal(set) var keepTime = Duration.zero
    /// Bytes that are kept of all projects together.
    package internal(set) var keepTotal = 0
    /// How long a client may take nothing of its stream.
    package internal(set) var stall = Duration.zero
    /// How streamed text is told where a request does not say.
    package internal(set) var form = EventEncodingChoice.raw
}

/// How streamed text is told.
package enum EventEncodingChoice: String, Sendable, CaseIterable {
    /// As the instance says it.
    case raw
    /// Piece by piece.
    case delta
    /// Whole, again and again.
    case full
}

/// What the gateway keeps of instances' events, and how it serves them.
extension Settings {
    static let events: [Setting] = [
        Setting(
            "event-hub", "VIBE_EVENT_HUB", .onOff, \.events.isHubOn, default: .text("on"), group: .events,
            """
            Subscribe once to the events of each OpenCode, keep them, and serve all event streams from them, so that a client \
            that reconnects receives the events it missed. `off`: every stream is passed through, and no event is kept.
            """),
        size(
            "event-keep-size", "VIBE_EVENT_KEEP_SIZE", \.events.keepSize, "64MiB",
            "Maximum size of the events kept for each project, in `events` in the state directory. 0 keeps 4MiB in memory and nothing on disk."
        ),
        Setting(
            "event-keep-time", "VIBE_EVENT_KEEP_TIME", .duration(in: .seconds(60)...(.seconds(3_650 * 86_400))),
            \.events.keepTime, default: .text("7d"), group: .events, "Time for which an event is kept."),
        size(
            "event-keep-total", "VIBE_EVENT_KEEP_TOTAL", \.events.keepTotal, "1GiB",
            "Maximum size of the events kept for all projects together. The oldest are removed first."),
        Setting(
            "stream-stall", "VIBE_STREAM_STALL", .duration(in: .seconds(1)...longest), \.events.stall,
            default: .text("60s"), group: .events,
            "Time after which a client that reads nothing of its event stream is disconnected. It can reconnect and resume."
        ).reloaded,
        Setting(
            "event-form", "VIBE_EVENT_FORM", .cases, \.events.form, default: .text("raw"), group: .events,
            """
            Encoding of streamed text on OpenCode 1's event streams: `raw`, as the instance sends it; `delta`, as increments; \
            `full`, the whole text so far in each event, as clients of 1.0 and 1.1 expect. A project's own environment file can \
            override it.
            """
        ).reloaded,
    ]

    private static func size(
        _ name: String, _ environment: String, _ field: any WritableKeyPath<Configuration, Int> & Sendable,
        _ defaultText: String, _ help: String
    ) -> Setting {
        Setting(
            name, environment, .size(in: 0...(1 << 40)), field, default: .text(defaultText), group: .events, help)
    }
}
