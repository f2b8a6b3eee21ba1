// SPDX-License-Identifier: Apache-2.0

package import EventLoop
import Glibc

/// A listener in addition to the gateway's own listener. The listener serves only certain endpoints, because clients of
/// other protocols expect them at a separate address.
package struct EndpointListener: Sendable {
    /// The kind of endpoints that a listener serves. Each feature that has a separate listener defines a purpose.
    package struct Purpose: Hashable, Sendable {
        /// The word for the listener in messages, such as `chat`.
        package let name: String
        /// The scheme of the listener's URL, such as `ws`.
        package let scheme: String

        /// Creates a purpose with a name and a URL scheme.
        package init(name: String, scheme: String) {
            self.name = name
            self.scheme = scheme
        }
    }

    /// The kind of endpoints that the listener serves.
    package let purpose: Purpose
    /// The flag that configures the listener, for messages.
    package let setting: String
    /// The address of the listener. After ``listen()``, the chosen port replaces a requested port 0.
    package private(set) var address: SocketAddress
    /// Whether the listener admits a request without a key if ``OpenRule`` allows the request (`--chat-open`).
    package let isOpen: Bool

    /// Creates a listener that does not listen yet.
    package init(_ purpose: Purpose, setting: String, address: SocketAddress, isOpen: Bool) {
        self.purpose = purpose
        self.setting = setting
        self.address = address
        self.isOpen = isOpen
    }

    /// The address for the operator's terminal, such as `chat listening on ws://127.0.0.1:9200`.
    package var announcement: String { "\(purpose.name) listening on \(purpose.scheme)://\(address)" }

    /// Throws an error if there is already a listener on the address.
    package func requireUnused() throws(DataPlaneError) {
        guard address.port != 0 else { return }
        do {
            try Listener.requireUnused(address)
        } catch {
            throw .cannotListen(on: address, setting, error)
        }
    }

    /// Opens another listening socket on the address.
    package mutating func listen() throws(DataPlaneError) -> Listener {
        do {
            let listener = try Listener(on: address)
            address = listener.address
            return listener
        } catch {
            throw .cannotListen(on: address, setting, error)
        }
    }
}

extension DataPlaneError {
    /// Returns the error for a listener address that cannot be used.
    ///
    /// - Parameter setting: The flag that has set the address.
    package static func cannotListen(on address: SocketAddress, _ setting: String, _ error: SystemCallError) -> Self {
        Self(description: "The gateway cannot listen on \(address) (\(setting)): \(error). \(hint(error))")
    }

    /// Returns the error for a listener whose endpoints are not available in this gateway.
    static func notServed(_ listener: EndpointListener) -> Self {
        Self(
            description:
                "This gateway has no endpoints for \(listener.address) (\(listener.setting)). Remove \(listener.setting)."
        )
    }

    /// Returns the error for an open listener that other machines can reach.
    static func openToOthers(_ listener: EndpointListener) -> Self {
        Self(
            description:
                "\(listener.address) (\(listener.setting)) can be reached from other machines, and --chat-open is on. "
                + "Listen on 127.0.0.1 or [::1], or set --chat-open off.")
    }

    private static func hint(_ error: SystemCallError) -> String {
        switch error.code {
        case EADDRINUSE: "Another program, or another gateway, uses this port. Stop it or choose another port."
        case EADDRNOTAVAIL: "This machine has no such address. Use one that `ip address` lists, or 0.0.0.0."
        case EACCES: "Only privileged programs may use ports below 1024. Choose another port."
        default: "Choose another address or port."
        }
    }
}
