package import Addresses

/// Slows down tries with wrong keys, for each client address: a bucket of tries that fills again at a steady rate.
///
/// Behind a reverse proxy that is not named as such (`--trust-proxy`) all clients share its address, and one of them
/// must not lock out the others. So only an address from which no valid key has come for a while is refused without
/// its keys being looked at; from any other a valid key is accepted at any time, and wrong ones are refused. This
/// machine's own addresses are never refused unread, because that is where most such proxies stand.
///
/// Pure: time comes in, as a duration since any fixed point. Its memory is bounded; under a flood of addresses those
/// not seen for longest are forgotten.
package struct FailureLimiter: Sendable {
    /// How many tries there may be.
    package struct Rate: Sendable, Equatable {
        /// Wrong keys in a row that are answered with 401; 0: any number.
        package var burst: Int
        /// The time after which there is one more.
        package var interval: Duration

        /// A rate of these numbers.
        package init(burst: Int, interval: Duration) {
            self.burst = burst
            self.interval = interval
        }
    }

    /// What becomes of a try with a wrong key.
    package enum Failure: Sendable, Equatable {
        /// It is within the rate. `isReport`: it was the last one, and nobody has been told of this address yet.
        case counted(isReport: Bool)
        /// It is one too many; the time until the next one is counted again.
        case refused(retryAfter: Duration)
    }

    private struct Record {
        /// When the bucket is full again.
        var full = Duration.zero
        /// Until when valid keys are looked at whatever else comes from there.
        var validUntil = Duration.zero
        var isReported = false
    }

    /// How long an address is remembered from which a valid key came: a phone that sleeps for a night finds its way back.
    private static let validFor = Duration.seconds(24 * 3600)

    private var records: RecentTable<IPAddress, Record>

    /// A limiter that remembers `capacity` addresses at least, twice as many at most.
    package init(capacity: Int = 8192) { records = RecentTable(capacity: capacity) }

    /// How long to wait before a key from this address is looked at again; nil where it is looked at now.
    package mutating func wait(for address: IPAddress, at now: Duration, _ rate: Rate) -> Duration? {
        guard rate.burst > 0, !address.isLoopback, let record = records[address.network], record.validUntil <= now
        else {
            return nil
        }
        return Self.wait(record, now, rate)
    }

    /// A valid key came from this address.
    package mutating func succeeded(_ address: IPAddress, at now: Duration) {
        var record = records[address.network] ?? Record()
        record.validUntil = now + Self.validFor
        records[address.network] = record
    }

    /// A wrong key came from this address.
    package mutating func failed(_ address: IPAddress, at now: Duration, _ rate: Rate) -> Failure {
        guard rate.burst > 0 else { return .counted(isReport: false) }
        var record = records[address.network] ?? Record()
        if let wait = Self.wait(record, now, rate) { return .refused(retryAfter: wait) }
        if record.full <= now { record.isReported = false }
        record.full = max(record.full, now) + rate.interval
        let isReport = !record.isReported && Self.wait(record, now, rate) != nil
        record.isReported = record.isReported || isReport
        records[address.network] = record
        return .counted(isReport: isReport)
    }

    /// The time until the bucket holds a try; nil where it holds one. Each try that was taken stands for an interval
    /// until the bucket is full (the generic cell rate algorithm, ITU-T I.371).
    private static func wait(_ record: Record, _ now: Duration, _ rate: Rate) -> Duration? {
        let wait = record.full - now - rate.interval * (rate.burst - 1)
        return wait > .zero ? wait : nil
    }
}

/// A dictionary of bounded size that forgets what was not written for longest. Every operation takes constant time.
///
/// It has two halves: entries are written to the young one, and when that is full it takes the place of the old one,
/// whose entries are gone unless they were written again meanwhile.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// A table that keeps the `capacity` entries written last, and at most twice as many.
    init(capacity: Int) {
        precondition(capacity > 0, "a table must have room for an entry")
        self.capacity = capacity
    }

    /// The number of entries, at most twice the capacity.
    var count: Int { young.count + old.count }

    /// The entry of a key; setting nil is not needed and does nothing.
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
