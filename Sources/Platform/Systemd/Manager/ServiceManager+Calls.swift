// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// The methods of the manager (org.freedesktop.systemd1(5), "Manager Object"). Each method calls its `reply` handler
/// later on the loop, before the loop handles any signal that the manager sent after the reply.
extension ServiceManager {
    /// Starts a unit. The reply is the job that starts the unit. ``ManagerEvent/jobRemoved(job:unit:result:)`` reports
    /// the end of the job.
    package func start(_ unit: String, reply: @escaping @Sendable (Result<String, BusError>) -> Void) {
        job("StartUnit", of: unit, reply: reply)
    }

    /// Stops a unit. The reply is the job that stops the unit.
    package func stop(_ unit: String, reply: @escaping @Sendable (Result<String, BusError>) -> Void) {
        job("StopUnit", of: unit, reply: reply)
    }

    /// Stops and starts a unit immediately, even if the unit waits for its automatic restart. The reply is the job that
    /// restarts the unit.
    package func restart(_ unit: String, reply: @escaping @Sendable (Result<String, BusError>) -> Void) {
        job("RestartUnit", of: unit, reply: reply)
    }

    /// Resets a unit's failed state and its start counter, so that earlier starts no longer count towards its start
    /// limit.
    package func resetFailed(_ unit: String, reply: @escaping @Sendable (Result<Void, BusError>) -> Void) {
        call(.manager("ResetFailedUnit", .string(unit)), reading: { _ in }, reply: reply)
    }

    /// Sends a signal to every process of a unit.
    package func kill(_ unit: String, signal: Int32, reply: @escaping @Sendable (Result<Void, BusError>) -> Void) {
        call(.manager("KillUnit", .string(unit), .string("all"), .int32(signal)), reading: { _ in }, reply: reply)
    }

    /// Requests all properties of a unit at once. Loads the unit if necessary, so an unknown unit has the load state
    /// `not-found`.
    package func properties(of unit: String, reply: @escaping @Sendable (Result<UnitProperties, BusError>) -> Void) {
        // An empty interface name requests the properties of all interfaces.
        let all = BusCall(
            path: Self.path(of: unit), interface: "org.freedesktop.DBus.Properties", member: "GetAll",
            arguments: [.string("")])
        call(all, reading: { (message) throws(BusError) in try UnitProperties(reading: message) }, reply: reply)
    }

    private func job(
        _ method: String, of unit: String, reply: @escaping @Sendable (Result<String, BusError>) -> Void
    ) {
        call(
            .manager(method, .string(unit), .string("replace")),
            reading: { (message) throws(BusError) in try message.objectPath() }, reply: reply)
    }

    private static let unitFolder = "/org/freedesktop/systemd1/unit"

    private static func path(of unit: String) -> String {
        var path: UnsafeMutablePointer<CChar>?
        guard sd_bus_path_encode(unitFolder, unit, &path) >= 0, let path else { return unitFolder }
        defer { free(path) }
        return String(cString: path)
    }

    fileprivate static func unit(at path: UnsafePointer<CChar>) -> String? {
        var name: UnsafeMutablePointer<CChar>?
        guard sd_bus_path_decode(path, unitFolder, &name) > 0, let name else { return nil }
        defer { free(name) }
        return String(cString: name)
    }
}

extension BusMessage {
    /// Returns the unit whose object sent the message; nil unless its name has the prefix.
    func unit(withPrefix prefix: String) -> String? {
        guard let path, let unit = ServiceManager.unit(at: path), unit.hasPrefix(prefix) else { return nil }
        return unit
    }
}
