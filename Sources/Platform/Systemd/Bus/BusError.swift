// SPDX-License-Identifier: Apache-2.0

internal import CSystemd

/// The failure of a bus call or of a connection attempt.
package struct BusError: Error, Equatable, CustomStringConvertible {
    /// The meaning of an error for the caller.
    package enum Kind: Sendable, Equatable {
        /// The manager does not know the unit or has no file for it.
        case noSuchUnit
        /// The unit's file is invalid.
        case badUnit
        /// The unit is masked (systemctl(1), mask).
        case masked
        /// The manager, or polkit on its behalf, denies the operation to this user.
        case accessDenied
        /// The manager is unreachable: there is no socket, or the connection is lost.
        case unreachable
        /// The manager did not reply in time.
        case noAnswer
        /// The manager is shutting down.
        case shuttingDown
        /// Any other error; see its message.
        case other
    }

    /// The D-Bus name of the error, such as `org.freedesktop.systemd1.NoSuchUnit`. A failed system call has the name
    /// that sd-bus assigns to its error number.
    package let name: String
    /// The error message from the peer.
    package let message: String
    /// The failed operation, such as `StartUnit`.
    package let operation: String

    /// Creates an error for the given operation.
    package init(name: String, message: String, operation: String) {
        self.name = name
        self.message = message
        self.operation = operation
    }

    /// The error as a message without a full stop.
    package var description: String { "\(operation) failed: \(message.isEmpty ? name : message)" }

    /// The meaning of the error for the caller.
    package var kind: Kind { Self.kinds[name] ?? .other }

    // org.freedesktop.systemd1(5) documents the manager's own errors. The D-Bus specification documents the bus's
    // errors, and sd_bus_error_set_errno(3) documents the errors of system calls.
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
    /// Returns the error for the negative error number that a libsystemd function returned.
    static func of(_ result: Int32, _ operation: String) -> BusError {
        var error = sd_bus_error()
        sd_bus_error_set_errno(&error, result)
        defer { sd_bus_error_free(&error) }
        return BusError(error, operation)
    }

    /// Throws if a libsystemd function returned a negative error number.
    @discardableResult
    static func check(_ result: Int32, _ operation: String) throws(BusError) -> Int32 {
        if result < 0 { throw of(result, operation) }
        return result
    }

    /// Creates an error from the peer's reply.
    init(_ error: sd_bus_error, _ operation: String) {
        self.init(
            name: error.name.map { String(cString: $0) } ?? "org.freedesktop.DBus.Error.Failed",
            message: error.message.map { String(cString: $0) } ?? "", operation: operation)
    }

    /// Returns the error for an operation without a connection.
    static func notConnected(_ operation: String) -> BusError {
        BusError(
            name: "org.freedesktop.DBus.Error.Disconnected", message: "there is no connection to the service manager",
            operation: operation)
    }
}
