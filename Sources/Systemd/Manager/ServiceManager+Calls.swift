internal import CSystemd
internal import Glibc

/// The manager's methods (org.freedesktop.systemd1(5), "Manager Object"). Each answers by its handler, on the loop, later,
/// and before every signal that the manager sent after the answer.
extension ServiceManager {
    /// Starts a unit; the answer is its job, whose end ``ManagerEvent/jobRemoved(job:unit:result:)`` tells.
    package func start(_ unit: String, reply: @escaping @Sendable (Result<String, BusError>) -> Void) {
        job("StartUnit", unit, reply)
    }

    /// Stops a unit; the answer is its job.
    package func stop(_ unit: String, reply: @escaping @Sendable (Result<String, BusError>) -> Void) {
        job("StopUnit", unit, reply)
    }

    /// Stops and starts a unit, at once also while it waits for its automatic restart; the answer is its job.
    package func restart(_ unit: String, reply: @escaping @Sendable (Result<String, BusError>) -> Void) {
        job("RestartUnit", unit, reply)
    }

    /// Forgets that a unit has failed, and how often it was started: its start limit begins anew.
    package func resetFailed(_ unit: String, reply: @escaping @Sendable (Result<Void, BusError>) -> Void) {
        call(.manager("ResetFailedUnit", .string(unit)), reading: { _ in }, reply: reply)
    }

    /// Sends a signal to every process of a unit.
    package func kill(_ unit: String, signal: Int32, reply: @escaping @Sendable (Result<Void, BusError>) -> Void) {
        call(.manager("KillUnit", .string(unit), .string("all"), .int32(signal)), reading: { _ in }, reply: reply)
    }

    /// Everything about a unit at once; loads it where it is not loaded, so an unknown one has `not-found` as its state.
    package func properties(of unit: String, reply: @escaping @Sendable (Result<UnitProperties, BusError>) -> Void) {
        // An empty interface stands for all of the unit's interfaces.
        let all = BusCall(
            path: Self.path(of: unit), interface: "org.freedesktop.DBus.Properties", member: "GetAll",
            arguments: [.string("")])
        call(all, reading: { (message) throws(BusError) in try UnitProperties(reading: message) }, reply: reply)
    }

    private func job(
        _ method: String, _ unit: String, _ reply: @escaping @Sendable (Result<String, BusError>) -> Void
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
    /// The unit whose object it comes from; nil unless its name begins so.
    func unit(withPrefix prefix: String) -> String? {
        guard let path, let unit = ServiceManager.unit(at: path), unit.hasPrefix(prefix) else { return nil }
        return unit
    }
}
