// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// The result of a synchronous check at start-up that shows whether a service manager is available.
package struct ManagerProbe: Sendable, Equatable {
    /// The manager's version, such as `252.39-1~deb12u1`.
    package let version: String
    /// Whether the manager has a file for the requested template.
    package let hasTemplate: Bool

    /// The time limit in microseconds after which a manager counts as unavailable.
    private static let timeout: UInt64 = 2_000_000

    /// Connects, queries the manager and disconnects. Blocks for up to 2 s for each address.
    ///
    /// - Parameter template: The name of a unit file, such as `opencode@.service`.
    package init(_ access: ManagerAccess, template: String) throws(BusError) {
        var failure = BusError.notConnected("connecting to the service manager")
        for address in access.addresses {
            do throws(BusError) {
                self = try Self.probe(address, template)
                return
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// Creates a result with the given values.
    package init(version: String, hasTemplate: Bool) {
        self.version = version
        self.hasTemplate = hasTemplate
    }

    private static func probe(_ address: BusAddress, _ template: String) throws(BusError) -> ManagerProbe {
        let bus = try connect(address)
        defer { sd_bus_flush_close_unref(bus) }
        return ManagerProbe(version: try version(bus), hasTemplate: try hasTemplate(template, bus))
    }

    private static func connect(_ address: BusAddress) throws(BusError) -> OpaquePointer {
        var created: OpaquePointer?
        try BusError.check(sd_bus_new(&created), "sd_bus_new")
        guard let bus = created else { throw BusError.notConnected("sd_bus_new") }
        do throws(BusError) {
            try BusError.check(sd_bus_set_address(bus, address.text), "connecting to \(address.text)")
            try BusError.check(sd_bus_set_bus_client(bus, address.isBus ? 1 : 0), "sd_bus_set_bus_client")
            try BusError.check(sd_bus_start(bus), "connecting to \(address.text)")
        } catch {
            sd_bus_close_unref(bus)
            throw error
        }
        return bus
    }

    private static func version(_ bus: OpaquePointer) throws(BusError) -> String {
        let call = BusCall(
            path: "/org/freedesktop/systemd1", interface: "org.freedesktop.DBus.Properties", member: "Get",
            arguments: [.string("org.freedesktop.systemd1.Manager"), .string("Version")])
        return try invoke(bus, call: call) { (message) throws(BusError) in try message.variant("s", message.string) }
    }

    private static func hasTemplate(_ template: String, _ bus: OpaquePointer) throws(BusError) -> Bool {
        do throws(BusError) {
            _ = try invoke(bus, call: .manager("GetUnitFileState", .string(template))) { (message) throws(BusError) in
                try message.string()
            }
            return true
        } catch  where error.kind != .noAnswer && error.kind != .accessDenied {
            // Any other error counts as a missing file. The name of the error for a missing file depends on the systemd
            // version.
            return false
        }
    }

    private static func invoke<Value>(
        _ bus: OpaquePointer, call: BusCall, _ read: (BusMessage) throws(BusError) -> Value
    ) throws(BusError) -> Value {
        var created: OpaquePointer?
        try BusError.check(
            sd_bus_message_new_method_call(
                bus, &created, BusConnection.service, call.path, call.interface, call.member), call.member)
        defer { sd_bus_message_unref(created) }
        if let created {
            let message = BusMessage(pointer: created)
            for argument in call.arguments { try message.append(argument) }
        }
        var error = sd_bus_error()
        defer { sd_bus_error_free(&error) }
        var answer: OpaquePointer?
        let result = sd_bus_call(bus, created, timeout, &error, &answer)
        defer { sd_bus_message_unref(answer) }
        guard result >= 0, let answer else {
            throw error.name == nil ? BusError.of(result, call.member) : BusError(error, call.member)
        }
        return try read(BusMessage(pointer: answer))
    }
}
