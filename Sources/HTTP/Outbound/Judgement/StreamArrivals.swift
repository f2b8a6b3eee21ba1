// SPDX-License-Identifier: Apache-2.0

/// Records the arrival times of a stream's parts and evaluates the network path from these times. The server sends the
/// parts at a steady pace. The type performs no I/O.
package struct StreamArrivals: Sendable {
    /// The effect of the network path on a stream.
    package enum Verdict: Sendable, Equatable {
        /// All parts arrived separately and in time. The value is the total duration.
        case good(Duration)
        /// Several parts arrived together, so an intermediary on the path buffers them.
        case buffered
        /// All parts arrived separately but late. The value is the total duration.
        case slow(Duration)
        /// The stream ended after this number of parts.
        case cut(after: Int)
    }

    private let count: Int
    private let interval: Duration
    private var times: [Duration] = []
    private var lineTail: [UInt8] = []

    /// Creates a recorder for a stream of `count` events or comments, each of which ends with an empty line. The server
    /// sends one part in each interval.
    package init(count: Int, interval: Duration) {
        self.count = count
        self.interval = interval
    }

    /// Records bytes that arrived at the given time after the request.
    package mutating func record(_ bytes: [UInt8], at time: Duration) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n"), lineTail.last == UInt8(ascii: "\n") {
                times.append(time)
                lineTail = []
            } else if lineTail.count < 1024 {
                lineTail.append(byte)
            }
        }
    }

    /// The evaluation of the arrival times, valid after the end of the stream.
    package var verdict: Verdict {
        guard times.count >= count, let last = times.last else { return .cut(after: times.count) }
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        // The limit is a quarter of the interval. Delays may vary, but never by nearly the whole interval.
        guard gaps.allSatisfy({ $0 >= interval / 4 }) else { return .buffered }
        // On a good path, the last part arrives almost immediately after it was sent.
        return last > interval * (count - 1) + .seconds(2) ? .slow(last) : .good(last)
    }

    /// Returns the better of two verdicts about one path. A busy machine can make a good path look bad, but never the
    /// reverse.
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
