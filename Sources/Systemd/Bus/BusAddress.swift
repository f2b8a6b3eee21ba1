internal import TextCoding

/// Where a service manager can be reached.
package struct BusAddress: Sendable, Equatable {
    /// The address in D-Bus's form, such as `unix:path=/run/user/1000/systemd/private`.
    package let text: String
    /// Whether a bus daemon stands between; else it is the manager's own socket.
    package let isBus: Bool

    /// The addresses at which a manager may be, the best first.
    ///
    /// Its own socket comes first: it needs no bus daemon, which in a user's session is started on demand only, and it
    /// ends when the manager does. The system manager's own socket is for root alone; others need the bus, and polkit.
    package static func of(
        _ scope: ManagerScope, environment: [String: String], user: UInt32, runtimeFolder: String?
    ) -> [BusAddress] {
        switch scope {
        case .user:
            let bus = environment["DBUS_SESSION_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
            let own = runtimeFolder.map { BusAddress(text: path($0 + "/systemd/private"), isBus: false) }
            let standard = runtimeFolder.map { path($0 + "/bus") }
            return [own, (bus ?? standard).map { BusAddress(text: $0, isBus: true) }].compactMap { $0 }
        case .system:
            let set = environment["DBUS_SYSTEM_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
            let bus = BusAddress(text: set ?? path("/run/dbus/system_bus_socket"), isBus: true)
            return user == 0 ? [BusAddress(text: path("/run/systemd/private"), isBus: false), bus] : [bus]
        }
    }

    /// A socket's path as an address (D-Bus specification, "Server Addresses").
    private static func path(_ path: String) -> String {
        let text = PercentEncoding.encode(path.utf8) { byte in
            byte == UInt8(ascii: "/") || byte == UInt8(ascii: "*")
                || byte != UInt8(ascii: "~") && PercentEncoding.isUnreserved(byte)
        }
        return "unix:path=" + String(decoding: text, as: UTF8.self)
    }
}
