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
    package internal(set) var form = EventFormChoice.raw
}

/// How streamed text is told.
package enum EventFormChoice: String, Sendable, CaseIterable {
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
            Whether the gateway listens to each OpenCode once and serves all event streams from what it has heard, so that a \
            client that comes back gets what it has missed. `off`: every stream is passed through, and nothing is kept.
            """),
        size(
            "event-keep-size", "VIBE_EVENT_KEEP_SIZE", \.events.keepSize, "64MiB",
            "Bytes of events that are kept of each project, in `events` in the state directory. 0 keeps 4MiB in memory and nothing on the disk."
        ),
        Setting(
            "event-keep-time", "VIBE_EVENT_KEEP_TIME", .duration(in: .seconds(60)...(.seconds(3_650 * 86_400))),
            \.events.keepTime, default: .text("7d"), group: .events, "How long an event is kept."),
        size(
            "event-keep-total", "VIBE_EVENT_KEEP_TOTAL", \.events.keepTotal, "1GiB",
            "Bytes of events that are kept of all projects together; the oldest go first."),
        Setting(
            "stream-stall", "VIBE_STREAM_STALL", .duration(in: .seconds(1)...longest), \.events.stall,
            default: .text("60s"), group: .events,
            "Time after which a client is cut that takes nothing of its event stream. It can come back and go on where it was."
        ).reloaded,
        Setting(
            "event-form", "VIBE_EVENT_FORM", .cases, \.events.form, default: .text("raw"), group: .events,
            """
            How OpenCode 1's streamed text is told on its own streams: `raw` as the instance says it, `delta` piece by piece, \
            `full` whole again and again, as clients of 1.0 and 1.1 expect. A project's own environment file may say otherwise.
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
