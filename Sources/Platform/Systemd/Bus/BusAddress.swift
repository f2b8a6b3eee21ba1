// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The D-Bus address of a service manager.
package struct BusAddress: Sendable, Equatable {
    /// The address in D-Bus syntax, such as `unix:path=/run/user/1000/systemd/private`.
    package let text: String
    /// Whether the address belongs to a bus daemon; false for the manager's own socket.
    package let isBus: Bool

    /// Returns the possible addresses of a manager in order of preference.
    ///
    /// The manager's own socket comes first, because it needs no bus daemon and closes when the manager ends. A user
    /// session starts its bus daemon only on demand. Only root can use the system manager's own socket. Other users
    /// need the bus and polkit.
    package static func of(
        _ scope: ManagerScope, environment: [String: String], user: UInt32, runtimeFolder: String?
    ) -> [BusAddress] {
        switch scope {
        case .user:
            let bus = environment["DBUS_SESSION_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
            let privateSocket = runtimeFolder.map { BusAddress(text: path($0 + "/systemd/private"), isBus: false) }
            let standard = runtimeFolder.map { path($0 + "/bus") }
            return [privateSocket, (bus ?? standard).map { BusAddress(text: $0, isBus: true) }].compactMap { $0 }
        case .system:
            let set = environment["DBUS_SYSTEM_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
            let bus = BusAddress(text: set ?? path("/run/dbus/system_bus_socket"), isBus: true)
            return user == 0 ? [BusAddress(text: path("/run/systemd/private"), isBus: false), bus] : [bus]
        }
    }

    /// Returns the D-Bus address for a socket's path (D-Bus specification, "Server Addresses").
    private static func path(_ path: String) -> String {
        let text = PercentEncoding.encode(path.utf8) { byte in
            byte == UInt8(ascii: "/") || byte == UInt8(ascii: "*")
                || byte != UInt8(ascii: "~") && PercentEncoding.isUnreserved(byte)
        }
        return "unix:path=" + String(decoding: text, as: UTF8.self)
    }
}
