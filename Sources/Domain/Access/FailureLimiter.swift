// SPDX-License-Identifier: Apache-2.0

package import Addresses

/// Limits the attempts with wrong keys from each client address. Each address has a bucket of attempts that refills at
/// a steady rate.
///
/// If a reverse proxy's address is not configured (`--trust-proxy`), all clients of the proxy share the proxy's
/// address. One client must not lock out the others. If an address has sent a valid key within the last 24 hours, the
/// gateway therefore checks every key from this address. The limiter rejects keys without a check only from other
/// addresses. Keys from loopback addresses are always checked, because most such proxies run on the same machine.
///
/// The limiter has no clock. Callers pass the time as a duration since any fixed point. The memory use is bounded: if
/// there are too many addresses, the limiter drops the least recently used addresses.
package struct FailureLimiter: Sendable {
    /// The allowed rate of attempts.
    package struct Rate: Sendable, Equatable {
        /// The number of consecutive wrong keys to which the gateway responds with 401; 0 means unlimited.
        package var burst: Int
        /// The time after which one more attempt is allowed.
        package var interval: Duration

        /// Creates a rate with the given values.
        package init(burst: Int, interval: Duration) {
            self.burst = burst
            self.interval = interval
        }
    }

    /// The result of an attempt with a wrong key.
    package enum Failure: Sendable, Equatable {
        /// The attempt is within the rate. `isReport` is true if the attempt is the last allowed one and the address
        /// has not been reported since its bucket was last full.
        case counted(isReport: Bool)
        /// The attempt exceeds the rate. The value is the time until the next attempt is allowed.
        case refused(retryAfter: Duration)
    }

    private struct Record {
        /// The time at which the bucket is full again.
        var full = Duration.zero
        /// The time until which every key from the address is checked.
        var validUntil = Duration.zero
        var isReported = false
    }

    /// The time for which an address with a valid key is remembered. A phone that was asleep overnight can therefore
    /// reconnect.
    private static let validFor = Duration.seconds(24 * 3600)

    private var records: RecentTable<IPAddress, Record>

    /// Creates a limiter that remembers at least `capacity` addresses and at most twice as many.
    package init(capacity: Int = 8192) { records = RecentTable(capacity: capacity) }

    /// Returns the time until the gateway checks keys from this address again; nil if it checks them now.
    package mutating func wait(for address: IPAddress, at now: Duration, _ rate: Rate) -> Duration? {
        guard rate.burst > 0, !address.isLoopback, let record = records[address.network], record.validUntil <= now
        else {
            return nil
        }
        return Self.wait(for: record, at: now, rate: rate)
    }

    /// Records a valid key from this address.
    package mutating func succeeded(_ address: IPAddress, at now: Duration) {
        var record = records[address.network] ?? Record()
        record.validUntil = now + Self.validFor
        records[address.network] = record
    }

    /// Records a wrong key from this address.
    package mutating func failed(_ address: IPAddress, at now: Duration, _ rate: Rate) -> Failure {
        guard rate.burst > 0 else { return .counted(isReport: false) }
        var record = records[address.network] ?? Record()
        if let wait = Self.wait(for: record, at: now, rate: rate) { return .refused(retryAfter: wait) }
        if record.full <= now { record.isReported = false }
        record.full = max(record.full, now) + rate.interval
        let isReport = !record.isReported && Self.wait(for: record, at: now, rate: rate) != nil
        record.isReported = record.isReported || isReport
        records[address.network] = record
        return .counted(isReport: isReport)
    }

    /// Returns the time until the next attempt is allowed; nil if an attempt is allowed now. Each attempt adds an
    /// interval to the time until the bucket is full (the generic cell rate algorithm, ITU-T I.371).
    private static func wait(for record: Record, at now: Duration, rate: Rate) -> Duration? {
        let wait = record.full - now - rate.interval * (rate.burst - 1)
        return wait > .zero ? wait : nil
    }
}

/// A dictionary of bounded size that removes the entries that were not written for the longest time. All operations
/// take amortized constant time.
///
/// The table has two halves. Entries are written to the young half. When the young half is full, it replaces the old
/// half. An entry of the old half is then dropped, unless it was also written to the young half.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// Creates a table that keeps at least the `capacity` most recently written entries, and at most twice as many.
    init(capacity: Int) {
        precondition(capacity > 0, "the table needs room for at least one entry")
        self.capacity = capacity
    }

    /// The number of entries, at most twice the capacity.
    var count: Int { young.count + old.count }

    /// The entry for a key. Setting nil has no effect.
    subscript(key: Key) -> Value? {
        get { young[key] ?? old[key] }
        set {
            guard let newValue else { return }
            if young[key] == nil {
                if young.count == capacity {
                    old = young
                    young = [:]
                }
                old[key] = nil
            }
            young[key] = newValue
        }
    }
}
