// SPDX-License-Identifier: Apache-2.0

/// The options for storing instances' events, and for their encoding.
package struct EventSettings: Sendable, Equatable {
    /// Whether the gateway itself subscribes to the instances' events and serves event streams.
    package internal(set) var isHubOn = false
    /// The maximum number of bytes of stored events for each project. With 0, the gateway keeps up to 4 MiB in memory
    /// and stores nothing on disk.
    package internal(set) var keepSize = 0
    /// The time for which an event is stored.
    package internal(set) var keepTime = Duration.zero
    /// The maximum number of bytes of stored events for all projects together.
    package internal(set) var keepTotal = 0
    /// The time after which the gateway disconnects a client that reads nothing from its stream.
    package internal(set) var stall = Duration.zero
    /// The encoding of streamed text for requests that do not name one.
    package internal(set) var encoding = EventEncodingChoice.raw
}

/// The encoding of streamed text.
package enum EventEncodingChoice: String, Sendable, CaseIterable {
    /// The instance's own encoding, unchanged.
    case raw
    /// Each event contains only the new text.
    case delta
    /// Each event contains the whole text so far.
    case full
}

/// The settings for storing and serving instances' events, with their help texts.
extension Settings {
    static let events: [Setting] = [
        Setting(
            "event-hub", environment: "VIBE_EVENT_HUB", syntax: .onOff, field: \.events.isHubOn, default: .text("on"),
            group: .events,
            """
            Subscribe once to the events of each instance, store them, and serve all event streams from the stored events. A \
            client that reconnects then receives the events that it missed. `off`: forward every stream unchanged and store \
            no events.
            """),
        size(
            "event-keep-size", environment: "VIBE_EVENT_KEEP_SIZE", field: \.events.keepSize, default: "64MiB",
            "Maximum size of the stored events of each project, in the directory `events` below the state directory. With 0, the gateway keeps up to 4MiB of events in memory and none on disk."
        ),
        Setting(
            "event-keep-time", environment: "VIBE_EVENT_KEEP_TIME",
            syntax: .duration(in: .seconds(60)...(.seconds(3_650 * 86_400))),
            field: \.events.keepTime, default: .text("7d"), group: .events,
            "Time for which the gateway stores an event."),
        size(
            "event-keep-total", environment: "VIBE_EVENT_KEEP_TOTAL", field: \.events.keepTotal, default: "1GiB",
            "Maximum total size of the events of all projects. The gateway removes the oldest events first."),
        Setting(
            "stream-stall", environment: "VIBE_STREAM_STALL", syntax: .duration(in: .seconds(1)...longest),
            field: \.events.stall,
            default: .text("60s"), group: .events,
            "Time after which the gateway disconnects a client that reads nothing from its event stream. The client can reconnect and resume."
        ).reloaded,
        Setting(
            "event-form", environment: "VIBE_EVENT_FORM", syntax: .cases, field: \.events.encoding,
            default: .text("raw"),
            group: .events,
            """
            Encoding of text that the model is still writing, on OpenCode 1's event streams. `raw`: as the instance sends it. \
            `delta`: only the new text in each event. `full`: the whole text so far in each event, as clients of OpenCode 1.0 \
            and 1.1 expect. A project's own environment file can override this setting.
            """
        ).reloaded,
    ]

    private static func size(
        _ name: String, environment: String, field: any WritableKeyPath<Configuration, Int> & Sendable,
        default defaultText: String, _ help: String
    ) -> Setting {
        Setting(
            name, environment: environment, syntax: .size(in: 0...(1 << 40)), field: field, default: .text(defaultText),
            group: .events, help)
    }
}
