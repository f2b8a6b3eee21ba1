// SPDX-License-Identifier: Apache-2.0

/// A list for values that one thread appends while other threads wait for them.
package final class Recorded<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var isFinished = false
    }

    private let monitor = Monitor(State())
    private let name: String

    /// Creates an empty list. The name appears in time-out messages.
    package init(_ name: String = "a recorded value") {
        self.name = name
    }

    /// Appends a value and wakes the waiting threads.
    package func append(_ value: Value) {
        monitor.withLock { $0.values.append(value) }
    }

    /// Marks the list as complete. Threads that wait for further values then fail immediately with `closed` instead of
    /// timing out.
    package func finish() {
        monitor.withLock { $0.isFinished = true }
    }

    /// All values so far, in order.
    package var values: [Value] { monitor.withLock { $0.values } }

    /// The number of values so far.
    package var count: Int { monitor.withLock { $0.values.count } }

    /// Waits until the whole list satisfies the predicate, and returns the list.
    @discardableResult
    package func wait(
        _ what: String? = nil, within limit: Duration = .seconds(10), until predicate: ([Value]) -> Bool
    ) throws -> [Value] {
        try result(what, within: limit) { predicate($0) ? $0 : nil }
    }

    /// Waits for the first value that satisfies the predicate. The value may already be recorded.
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

    /// Waits for at least this many values and returns all of them.
    @discardableResult
    package func wait(forCount count: Int, within limit: Duration = .seconds(10)) throws -> [Value] {
        try wait("\(count) of \(name)", within: limit) { $0.count >= count }
    }
}
