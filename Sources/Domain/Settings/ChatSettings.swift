// SPDX-License-Identifier: Apache-2.0

/// The settings for chats and conversations, such as their additional listeners.
package struct ChatSettings: Sendable, Equatable {
    /// The address for WebSockets, in addition to `/chat` on the gateway's own port; nil if there is none.
    package internal(set) var listen: ListenAddress?
    /// The address for conversation requests, in addition to the gateway's own port; nil if there is none.
    package internal(set) var conversations: ListenAddress?
    /// Whether programs of the gateway's own user and of root need no key for these listeners.
    package internal(set) var isOpen = false
    /// The project for clients that do not name one. With nil, these clients use the only existing project.
    package internal(set) var project: String?

    /// The configured listeners, each with the name of its setting.
    var listeners: [(name: String, address: ListenAddress)] {
        [("chat-listen", listen), ("conversations-listen", conversations)].compactMap { name, address in
            address.map { (name, $0) }
        }
    }
}

extension Configuration {
    /// Returns the errors about listeners that contradict other settings. Chats and conversations need the event hub.
    /// Other machines must not reach a listener that accepts requests without a key.
    func chatContradictions(_ wrong: Set<String>) -> [SettingError] {
        hubContradictions(wrong) + openContradictions(wrong)
    }

    private func openContradictions(_ wrong: Set<String>) -> [SettingError] {
        guard chat.isOpen, !wrong.contains("chat-open") else { return [] }
        return chat.listeners.filter { !wrong.contains($0.name) && !$0.address.isLoopback }.map { name, listen in
            SettingError(
                "\(source(name)) \(listen) can be reached from other machines, and \(source("chat-open")) is on: listen on "
                    + "127.0.0.1 or [::1], or set --chat-open to off.")
        }
    }

    private func hubContradictions(_ wrong: Set<String>) -> [SettingError] {
        guard !events.isHubOn, !wrong.contains("event-hub") else { return [] }
        return chat.listeners.filter { !wrong.contains($0.name) }.map { name, listen in
            SettingError(
                "\(source(name)) \(listen) needs the event hub, and \(source("event-hub")) is off: set --event-hub to on, or "
                    + "remove --\(name).")
        }
    }

    /// The notice that `--chat-open` has no effect if neither additional listener is configured.
    var chatCautions: [String] {
        guard chat.isOpen else { return [] }
        guard chat.listeners.isEmpty else { return [] }
        return [
            "\(source("chat-open")) on has no effect without --chat-listen or --conversations-listen: --listen always requires a key."
        ]
    }

    private func source(_ name: String) -> String {
        Settings.table.first { $0.name == name }.map { $0.source(origin(of: $0)) } ?? "--\(name)"
    }
}

extension ValueSyntax where Value == ListenAddress? {
    /// The syntax of a `HOST:PORT`, or `none` for nil.
    static let addressOrNone = ValueSyntax(
        placeholder: "HOST:PORT|none",
        parse: { (text) throws(InvalidValue) in text == "none" ? nil : try ListenAddress.parse(text) },
        text: { $0?.description ?? "none" })
}

extension ValueSyntax where Value == String? {
    /// The syntax of a project's name, or `none`.
    static let projectOrNone = ValueSyntax(
        placeholder: "NAME|none",
        parse: { (text) throws(InvalidValue) in
            if text == "none" { return nil }
            guard !text.isEmpty, !text.contains("/") else {
                throw InvalidValue(
                    "is not the name of a project", fix: "write the name of a directory directly below --home, or none")
            }
            return text
        },
        text: { $0 ?? "none" })
}

/// The settings for chats and conversations, with their help texts.
extension Settings {
    static let chat: [Setting] = [
        Setting(
            "chat-listen", environment: "VIBE_CHAT_LISTEN", syntax: .addressOrNone, field: \.chat.listen,
            default: .unset(description: "none"),
            group: .chat,
            """
            Address and port for WebSockets of chat clients, such as `127.0.0.1:9200`. With port 0, the gateway \
            selects a free port and prints it. Chat clients can also use `/chat` on `--listen`.
            """),
        Setting(
            "conversations-listen", environment: "VIBE_CONVERSATIONS_LISTEN", syntax: .addressOrNone,
            field: \.chat.conversations,
            default: .unset(description: "none"), group: .chat,
            """
            Address and port that serve `/conversations` and `/models`, such as `127.0.0.1:8000`. With port 0, the \
            gateway selects a free port and prints it. `--listen` serves both as well.
            """),
        Setting(
            "chat-open", environment: "VIBE_CHAT_OPEN", syntax: .onOff, field: \.chat.isOpen, default: .text("off"),
            group: .chat,
            """
            Accept requests without a key at `--chat-listen` and `--conversations-listen` from programs of the gateway's \
            own user and of root. Both must then be loopback addresses. Use this for clients that cannot send a key. A user \
            who can connect through such a program, for example through port forwarding, can do everything that you can do.
            """),
        Setting(
            "chat-project", environment: "VIBE_CHAT_PROJECT", syntax: .projectOrNone, field: \.chat.project,
            default: .unset(description: "none"),
            group: .chat,
            """
            Project for chat and conversations clients that do not name a project with `?project=`. `none`: these clients use \
            the only project if there is exactly one.
            """),
    ]
}
