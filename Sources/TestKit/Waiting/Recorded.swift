/// A list that one thread appends to while others wait for what they look for in it.
package final class Recorded<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var isFinished = false
    }

    private let monitor = Monitor(State())
    private let name: String

    /// An empty list; the name appears in time-out messages.
    package init(_ name: String = "a recorded value") {
        self.name = name
    }

    /// Adds a value at the end and wakes whoever waits.
    package func append(_ value: Value) {
        monitor.withLock { $0.values.append(value) }
    }

    /// Says that nothing will follow: who waits in vain is told at once, with `closed`, instead of at the time-out.
    package func finish() {
        monitor.withLock { $0.isFinished = true }
    }

    /// Everything recorded so far, in order.
    package var values: [Value] { monitor.withLock { $0.values } }

    /// How many values there are so far.
    package var count: Int { monitor.withLock { $0.values.count } }

    /// Waits until the whole list satisfies the predicate and returns the list.
    @discardableResult
    package func wait(
        _ what: String? = nil, within limit: Duration = .seconds(10), until predicate: ([Value]) -> Bool
    ) throws -> [Value] {
        try result(what, within: limit) { predicate($0) ? $0 : nil }
    }

    /// Waits for the first value that satisfies the predicate, recorded already or still to come.
    package func first(
        _ what: String? = nil, within limit: Duration = .seconds(10), where predicate: (Value) -> Bool
    ) throws -> Value {
        try result(what, within: limit) { $0.first(where: predicate) }
    }

    private func result<Result>(
        _ what: String?, within limit: Duration, _ condition: ([Value]) -> Result?
    ) throws -> Result {
        try monitor.wait(for: what ?? name, within: limit) { state in
            if let result = condition(state.values) { return result }
            if state.isFinished { throw TestKitError.closed(waitingFor: what ?? name) }
            return nil
        }
    }

    /// Waits for at least that many values and returns all there are.
    @discardableResult
    package func wait(forCount count: Int, within limit: Duration = .seconds(10)) throws -> [Value] {
        try wait("\(count) of \(name)", within: limit) { $0.count >= count }
    }
}
