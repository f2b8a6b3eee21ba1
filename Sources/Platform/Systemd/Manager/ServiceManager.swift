// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// A client for the user's or the system's service manager over D-Bus, limited to the units of one template.
///
/// The client connects automatically and retries while the manager is unreachable. The client never polls, because
/// signals report all state changes. Only the loop's thread may use the client.
package final class ServiceManager: @unchecked Sendable {  // Confined to the loop's thread; every method checks this.
    private static let shortestRetry = Duration.milliseconds(50)
    private static let longestRetry = Duration.seconds(2)

    let addresses: [BusAddress]
    private let loop: SystemEventLoop
    private let template: String
    private let handler: @Sendable (ManagerEvent) -> Void
    private(set) var connection: BusConnection?
    private var isReady = false
    private var retry: EventSource?
    private var retryDelay = shortestRetry
    private var nextAddress = 0
    /// The number of the current connection. Messages from an earlier connection are ignored.
    private var generation = 0

    /// Creates a client that is inactive until ``open()``.
    ///
    /// - Parameters:
    ///   - addresses: The possible addresses of the manager in order of preference.
    ///   - template: The prefix of the units' names, such as `opencode@`.
    ///   - loop: The loop on which all handlers run.
    ///   - handler: Receives all events.
    package init(
        addresses: [BusAddress], template: String, on loop: SystemEventLoop,
        handler: @escaping @Sendable (ManagerEvent) -> Void
    ) {
        self.addresses = addresses
        self.loop = loop
        self.template = template
        self.handler = handler
    }

    /// Starts to connect. The result is delivered as an event, possibly during this call.
    package func open() {
        loop.checkIsolated()
        connect()
    }

    /// Disconnects and stops all attempts. No event follows.
    package func close() {
        loop.checkIsolated()
        generation += 1
        connection = nil
        retry = nil
        isReady = false
    }

    // MARK: Connecting

    private func connect() {
        generation += 1
        let generation = generation
        var failure = BusError.notConnected("connecting")
        for offset in addresses.indices {
            let index = (nextAddress + offset) % addresses.count
            do throws(BusError) {
                let connection = try BusConnection(to: addresses[index], on: loop) { [weak self] in
                    self?.disconnected(generation, nil)
                }
                self.connection = connection
                try listen(on: connection, generation)
                // If this connection fails later, the next attempt begins with the next address.
                nextAddress = (index + 1) % addresses.count
                return
            } catch {
                connection = nil
                failure = error
            }
        }
        disconnected(generation, failure)
    }

    /// Sends all requests at once, so that no change is missed between the subscription to the signals and the list.
    private func listen(on connection: BusConnection, _ generation: Int) throws(BusError) {
        let manager = "org.freedesktop.systemd1.Manager"
        try connection.signals("org.freedesktop.DBus.Properties", "PropertiesChanged") { [weak self] message in
            self?.propertiesChanged(message, generation)
        }
        try connection.signals(manager, "JobRemoved") { [weak self] in self?.jobRemoved($0, generation) }
        try connection.signals(manager, "UnitRemoved") { [weak self] in self?.unitRemoved($0, generation) }
        try connection.signals(manager, "Reloading") { [weak self] message in
            self?.emit(generation) { () throws(BusError) in .reloading(try message.bool()) }
        }
        let subscribed: @Sendable (Result<Void, BusError>) -> Void = { [weak self] result in
            if case .failure(let error) = result { self?.disconnected(generation, error) }
        }
        try connection.call(.manager("Subscribe"), reading: { _ in }, reply: subscribed)
        let listed: @Sendable (Result<[ListedUnit], BusError>) -> Void = { [weak self] result in
            switch result {
            case .success(let units): self?.ready(generation, units)
            case .failure(let error): self?.disconnected(generation, error)
            }
        }
        try connection.call(listCall, reading: Self.readUnits, reply: listed)
    }

    private func ready(_ generation: Int, _ units: [ListedUnit]) {
        guard generation == self.generation else { return }
        isReady = true
        retryDelay = Self.shortestRetry
        // This address works, so begin the next connection attempt with it.
        nextAddress = (nextAddress + addresses.count - 1) % addresses.count
        handler(.connected(units))
    }

    private func disconnected(_ generation: Int, _ error: BusError?) {
        guard generation == self.generation else { return }
        self.generation += 1
        connection = nil
        isReady = false
        let delay = retryDelay
        retryDelay = min(retryDelay * 2, Self.longestRetry)
        retry = try? loop.timer(after: delay) { [weak self] in self?.connect() }
        handler(.disconnected(error ?? .notConnected("the connection to the service manager")))
    }

    // MARK: Signals

    private func emit(_ generation: Int, _ event: () throws(BusError) -> ManagerEvent?) {
        // Ignore signals that arrive before the list, because the list contains the same changes.
        guard generation == self.generation, isReady else { return }
        do throws(BusError) {
            if let event = try event() { handler(event) }
        } catch {
            // The signal has an undocumented format. Reconnect, because the new list provides the state that the signal
            // reported.
            disconnected(generation, error)
        }
    }

    private func propertiesChanged(_ message: BusMessage, _ generation: Int) {
        emit(generation) { () throws(BusError) in
            guard let unit = message.unit(withPrefix: template) else { return nil }
            let interface = try message.string()
            let properties = try UnitProperties(reading: message)
            let isComplete = interface == "org.freedesktop.systemd1.Unit"
            return .changed(unit: unit, properties, isComplete: isComplete)
        }
    }

    private func jobRemoved(_ message: BusMessage, _ generation: Int) {
        emit(generation) { () throws(BusError) in
            _ = try message.uint32()
            let job = try message.objectPath()
            let unit = try message.string()
            guard unit.hasPrefix(template) else { return nil }
            return .jobRemoved(job: job, unit: unit, result: try message.string())
        }
    }

    private func unitRemoved(_ message: BusMessage, _ generation: Int) {
        emit(generation) { () throws(BusError) in
            let unit = try message.string()
            return unit.hasPrefix(template) ? .unitRemoved(unit) : nil
        }
    }

    // MARK: The list

    private var listCall: BusCall { .manager("ListUnitsByPatterns", .strings([]), .strings([template + "*"])) }

    /// Reads a list of type `a(ssssssouso)`.
    private static let readUnits: @Sendable (BusMessage) throws(BusError) -> [ListedUnit] = {
        (message) throws(BusError) in
        var units: [ListedUnit] = []
        try message.array(of: "(ssssssouso)") { () throws(BusError) in
            try message.container("r", signature: "ssssssouso") { () throws(BusError) in
                let name = try message.string()
                try message.skip("s")
                let load = try message.string()
                let active = try message.string()
                let sub = try message.string()
                try message.skip("souso")
                units.append(ListedUnit(name: name, loadState: load, activeState: active, subState: sub))
            }
        }
        return units
    }

    /// Requests the list of units again.
    package func listUnits(reply: @escaping @Sendable (Result<[ListedUnit], BusError>) -> Void) {
        call(listCall, reading: Self.readUnits, reply: reply)
    }

    /// Sends a call. Without a connection, `reply` receives an error. In both cases, `reply` is called later and not
    /// during this call.
    func call<Value: Sendable>(
        _ call: BusCall, reading read: @escaping @Sendable (BusMessage) throws(BusError) -> Value,
        reply: @escaping @Sendable (Result<Value, BusError>) -> Void
    ) {
        loop.checkIsolated()
        do throws(BusError) {
            guard let connection else { throw BusError.notConnected(call.member) }
            try connection.call(call, reading: read, reply: reply)
        } catch {
            loop.later { reply(.failure(error)) }
        }
    }
}
