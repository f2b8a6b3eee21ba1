internal import CSystemd

/// A call over the bus that failed, or a connection that could not be had.
package struct BusError: Error, Equatable, CustomStringConvertible {
    /// What an error means for the caller.
    package enum Kind: Sendable, Equatable {
        /// The manager knows no such unit, or no file for it.
        case noSuchUnit
        /// The unit's file can't be used.
        case badUnit
        /// The unit is masked (systemctl(1), mask).
        case masked
        /// The manager, or polkit for it, does not let this user do it.
        case accessDenied
        /// There is nobody to talk to: no socket, or the connection is gone.
        case unreachable
        /// The manager did not answer in time.
        case noAnswer
        /// The manager is shutting down.
        case shuttingDown
        /// Anything else: the message says it.
        case other
    }

    /// The error's name on the bus, such as `org.freedesktop.systemd1.NoSuchUnit`; of a system call's error the name that
    /// sd-bus gives it.
    package let name: String
    /// What the other side says about it.
    package let message: String
    /// What was tried, such as `StartUnit`.
    package let operation: String

    /// An error of `operation`.
    package init(name: String, message: String, operation: String) {
        self.name = name
        self.message = message
        self.operation = operation
    }

    /// One sentence without a full stop.
    package var description: String { "\(operation) failed: \(message.isEmpty ? name : message)" }

    /// What it means.
    package var kind: Kind { Self.kinds[name] ?? .other }

    // The manager's own errors stand in org.freedesktop.systemd1(5), the bus's in the D-Bus specification, those of
    // system calls in sd_bus_error_set_errno(3).
    private static let kinds: [String: Kind] = [
        "org.freedesktop.systemd1.NoSuchUnit": .noSuchUnit,
        "org.freedesktop.systemd1.LoadFailed": .badUnit,
        "org.freedesktop.systemd1.BadUnitSetting": .badUnit,
        "org.freedesktop.systemd1.UnitMasked": .masked,
        "org.freedesktop.systemd1.ShuttingDown": .shuttingDown,
        "org.freedesktop.DBus.Error.AccessDenied": .accessDenied,
        "org.freedesktop.DBus.Error.AuthFailed": .accessDenied,
        "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired": .accessDenied,
        "System.Error.EACCES": .accessDenied,
        "System.Error.EPERM": .accessDenied,
        "org.freedesktop.DBus.Error.Disconnected": .unreachable,
        "org.freedesktop.DBus.Error.NoServer": .unreachable,
        "org.freedesktop.DBus.Error.FileNotFound": .unreachable,
        "org.freedesktop.DBus.Error.NameHasNoOwner": .unreachable,
        "org.freedesktop.DBus.Error.ServiceUnknown": .unreachable,
        "System.Error.ENOENT": .unreachable,
        "System.Error.ECONNREFUSED": .unreachable,
        "System.Error.ECONNRESET": .unreachable,
        "System.Error.ENOTCONN": .unreachable,
        "System.Error.EPIPE": .unreachable,
        "org.freedesktop.DBus.Error.NoReply": .noAnswer,
        "org.freedesktop.DBus.Error.Timeout": .noAnswer,
        "System.Error.ETIMEDOUT": .noAnswer,
    ]
}

extension BusError {
    /// The error of a libsystemd function that returned a negative error number.
    static func of(_ result: Int32, _ operation: String) -> BusError {
        var error = sd_bus_error()
        sd_bus_error_set_errno(&error, result)
        defer { sd_bus_error_free(&error) }
        return BusError(error, operation)
    }

    /// Throws when a libsystemd function returned a negative error number.
    @discardableResult
    static func check(_ result: Int32, _ operation: String) throws(BusError) -> Int32 {
        if result < 0 { throw of(result, operation) }
        return result
    }

    /// What the other side answered.
    init(_ error: sd_bus_error, _ operation: String) {
        self.init(
            name: error.name.map { String(cString: $0) } ?? "org.freedesktop.DBus.Error.Failed",
            message: error.message.map { String(cString: $0) } ?? "", operation: operation)
    }

    /// There is no connection at the moment.
    static func notConnected(_ operation: String) -> BusError {
        BusError(
            name: "org.freedesktop.DBus.Error.Disconnected", message: "there is no connection to the service manager",
            operation: operation)
    }
}
