internal import CSystemd

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
