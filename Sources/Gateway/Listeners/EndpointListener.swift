package import EventLoop
import Glibc

/// A listener besides the gateway's own, by which only certain endpoints are reached: clients of other protocols expect them
/// at an address of their own.
package struct EndpointListener: Sendable {
    /// What is reached by it.
    package enum Purpose: Sendable {
        /// The chat, at any path.
        case chat
        /// Conversations.
        case conversations
    }

    /// What is reached by it.
    package let purpose: Purpose
    /// The flag that sets it, for messages.
    package let setting: String
    /// Where it listens; once it does, the port is the one that was chosen where 0 was asked for.
    package private(set) var address: SocketAddress
    /// Whether requests without a key are let in where ``OpenRule`` says so (`--chat-open`).
    package let isOpen: Bool

    /// An entrance that does not listen yet.
    package init(_ purpose: Purpose, setting: String, address: SocketAddress, isOpen: Bool) {
        self.purpose = purpose
        self.setting = setting
        self.address = address
        self.isOpen = isOpen
    }

    /// Where it is, for those who start the gateway: `chat listening on ws://127.0.0.1:9200`.
    package var announcement: String {
        switch purpose {
        case .chat: "chat listening on ws://\(address)"
        case .conversations: "conversations listening on http://\(address)"
        }
    }

    /// Fails where anybody listens there already.
    func requireUnused() throws(DataPlane.Failure) {
        guard address.port != 0 else { return }
        do {
            try Listener.requireUnused(address)
        } catch {
            throw .cannotListen(on: address, setting, error)
        }
    }

    /// One more listener there.
    mutating func listen() throws(DataPlane.Failure) -> Listener {
        do {
            let listener = try Listener(on: address)
            address = listener.address
            return listener
        } catch {
            throw .cannotListen(on: address, setting, error)
        }
    }
}

extension DataPlane.Failure {
    /// Nobody can listen on this address, which this flag has set.
    static func cannotListen(on address: SocketAddress, _ setting: String, _ error: SystemCallError) -> Self {
        Self(description: "The gateway can't listen on \(address) (\(setting)): \(error). \(hint(error))")
    }

    /// Nobody serves what this entrance is for.
    static func notServed(_ entrance: EndpointListener) -> Self {
        Self(
            description:
                "\(entrance.address) (\(entrance.setting)) is not served: this gateway has nothing for it. Leave "
                + "\(entrance.setting) away.")
    }

    /// An open entrance can be reached from other machines.
    static func openToOthers(_ entrance: EndpointListener) -> Self {
        Self(
            description:
                "\(entrance.address) (\(entrance.setting)) can be reached from other machines, and --chat-open is on: listen on "
                + "127.0.0.1 or [::1], or switch --chat-open off.")
    }

    private static func hint(_ error: SystemCallError) -> String {
        switch error.code {
        case EADDRINUSE: "Another program, or another gateway, is on that port: end it or choose another port."
        case EADDRNOTAVAIL: "This machine has no such address: use one of its own, 127.0.0.1 or 0.0.0.0."
        case EACCES: "Ports below 1024 are for privileged programs: choose another port."
        default: "Choose another address or port."
        }
    }
}
