// SPDX-License-Identifier: Apache-2.0

internal import Locking

/// The current use of a key's limits. All loops and all secrets of a key share its meter.
package final class KeyMeter: Sendable {
    private struct State {
        /// The time at which the key has its full burst again, in nanoseconds.
        var full: Int64 = 0
        var streams = 0
    }

    /// A stream that counts towards the limit of its key until this object ends.
    package final class OpenStream: Sendable {
        private let meter: KeyMeter

        fileprivate init(_ meter: KeyMeter) { self.meter = meter }

        deinit { meter.state.withLock { $0.streams -= 1 } }
    }

    private let state = Locked(State())

    /// Creates a meter without uses.
    package init() {}

    /// Counts a request, unless the key has used its rate. Returns the time until the key may send the next request; nil
    /// if the request was counted.
    ///
    /// The rate is a token bucket: it permits ``KeyRate/count`` requests at once, and one more after each
    /// ``KeyRate/interval``.
    ///
    /// - Parameter now: The monotonic time in nanoseconds.
    package func count(at rate: KeyRate, _ now: Int64) -> Duration? {
        let interval = rate.nanoseconds
        let wait = state.withLock { state in
            let full = max(state.full, now)
            let wait = full - now - interval * Int64(rate.count - 1)
            if wait <= 0 { state.full = full + interval }
            return wait
        }
        return wait > 0 ? .nanoseconds(wait) : nil
    }

    /// Counts a stream until the returned object ends. Returns nil if the key has this number of open streams.
    package func openStream(atMost limit: Int) -> OpenStream? {
        state.withLock { state in
            guard state.streams < limit else { return false }
            state.streams += 1
            return true
        } ? OpenStream(self) : nil
    }
}

/// The meters of all keys. A key has the same meter as long as it exists.
package struct KeyMeters: Sendable {
    private var meters: [KeyID: KeyMeter] = [:]

    /// Creates an empty collection.
    package init() {}

    /// Returns the meter of a key.
    package mutating func meter(of id: KeyID) -> KeyMeter {
        if let meter = meters[id] { return meter }
        let meter = KeyMeter()
        meters[id] = meter
        return meter
    }

    /// Removes the meters of all keys except these.
    package mutating func keep(_ isKept: (KeyID) -> Bool) { meters = meters.filter { isKept($0.key) } }
}
