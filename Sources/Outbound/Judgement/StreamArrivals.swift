/// When the parts of a stream came that its server sends at a steady pace, and what that says of the way in between.
/// Pure.
package struct StreamArrivals: Sendable {
    /// What the way does to a stream.
    package enum Verdict: Sendable, Equatable {
        /// All came, each on its own; how long the whole took.
        case good(Duration)
        /// Several came at once: something collects them.
        case buffered
        /// All came, each on its own, but late; how long the whole took.
        case slow(Duration)
        /// It ended after so many.
        case cut(after: Int)
    }

    private let count: Int
    private let interval: Duration
    private var times: [Duration] = []
    private var rest: [UInt8] = []

    /// A stream of so many events or comments (`…` and an empty line), one in each interval.
    package init(count: Int, interval: Duration) {
        self.count = count
        self.interval = interval
    }

    /// Takes bytes that came so long after the request.
    package mutating func take(_ bytes: [UInt8], at time: Duration) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n"), rest.last == UInt8(ascii: "\n") {
                times.append(time)
                rest = []
            } else if rest.count < 1024 {
                rest.append(byte)
            }
        }
    }

    /// What the times say, once the stream has ended.
    package var verdict: Verdict {
        guard times.count >= count, let last = times.last else { return .cut(after: times.count) }
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        // A quarter: the way may be uneven, but never by nearly all of the time between two.
        guard gaps.allSatisfy({ $0 >= interval / 4 }) else { return .buffered }
        // On a good way the last one comes hardly later than it was sent.
        return last > interval * (count - 1) + .seconds(2) ? .slow(last) : .good(last)
    }

    /// The better of two verdicts about one way: a machine that is busy makes good ones look bad, never the other way
    /// round.
    package static func better(_ first: Verdict, _ second: Verdict) -> Verdict {
        rank(second) < rank(first) ? second : first
    }

    private static func rank(_ verdict: Verdict) -> Int {
        switch verdict {
        case .good: 0
        case .slow: 1
        case .buffered: 2
        case .cut: 3
        }
    }
}
