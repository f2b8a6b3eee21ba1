/// Where chats are talked, and with whom.
package struct ChatSettings: Sendable, Equatable {
    /// Where WebSockets are opened, besides `/chat` on the gateway's own port; nil: nowhere.
    package internal(set) var listen: ListenAddress?
    /// Whether programs of this machine need no key there.
    package internal(set) var isOpen = false
}

extension Configuration {
    /// What would be asked for in vain: chats hear of answers by the event hub.
    func chatContradictions(_ wrong: Set<String>) -> [SettingError] {
        guard let listen = chat.listen, !events.isHubOn, wrong.isDisjoint(with: ["chat-listen", "event-hub"]) else {
            return []
        }
        return [
            SettingError(
                "\(source("chat-listen")) \(listen) needs the event hub, and \(source("event-hub")) is off: switch that on, or "
                    + "leave --chat-listen away.")
        ]
    }

    /// What `--chat-open` does not do.
    var chatCautions: [String] {
        guard chat.isOpen else { return [] }
        guard let listen = chat.listen else {
            return [
                "\(source("chat-open")) on has no effect without --chat-listen: /chat on --listen always wants a key."
            ]
        }
        guard !listen.isLoopback else { return [] }
        return [
            "\(source("chat-open")) on has no effect on --chat-listen \(listen), which others than this machine can reach: keys are "
                + "wanted there. Listen on 127.0.0.1 or [::1]."
        ]
    }

    private func source(_ name: String) -> String {
        Settings.table.first { $0.name == name }.map { $0.source(origin(of: $0)) } ?? "--\(name)"
    }
}

extension ValueForm where Value == ListenAddress? {
    /// `HOST:PORT`, or `none`.
    static let addressOrNone = ValueForm(
        placeholder: "HOST:PORT|none",
        parse: { (text) throws(InvalidValue) in text == "none" ? nil : try ListenAddress.parse(text) },
        text: { $0?.description ?? "none" })
}

/// Chats over WebSockets.
extension Settings {
    static let chat: [Setting] = [
        Setting(
            "chat-listen", "VIBE_CHAT_LISTEN", .addressOrNone, \.chat.listen, default: .unset(description: "none"),
            group: .chat,
            """
            Address and port at which chat clients open WebSockets, such as `127.0.0.1:9200`; port 0 picks a free one and says \
            which. They do so as well at `/chat` on `--listen`.
            """),
        Setting(
            "chat-open", "VIBE_CHAT_OPEN", .onOff, \.chat.isOpen, default: .text("off"), group: .chat,
            """
            Whether programs on this machine need no key at `--chat-listen`, where that is a loopback address: for clients that \
            can send none, here or at the end of a forwarded port. Whoever can open a port of this machine can then do what you can.
            """),
    ]
}
