// SPDX-License-Identifier: Apache-2.0

/// A rate of requests, such as `20/s`.
package struct KeyRate: Sendable, Equatable, CustomStringConvertible {
    /// The unit of time of a rate.
    package enum Unit: String, Sendable, CaseIterable {
        case second = "s"
        case minute = "min"
        case hour = "h"

        /// The unit as a word, such as `minute`.
        var word: String {
            switch self {
            case .second: "second"
            case .minute: "minute"
            case .hour: "hour"
            }
        }

        /// The length in seconds.
        var seconds: Int {
            switch self {
            case .second: 1
            case .minute: 60
            case .hour: 3_600
            }
        }
    }

    /// The valid numbers of requests.
    package static let range = 1...100_000

    /// The number of requests in each unit of time.
    package let count: Int
    /// The unit of time.
    package let unit: Unit
    /// The average time between two requests in nanoseconds, because each request of a named key needs the time.
    let nanoseconds: Int64

    /// Creates a rate. Returns nil if the number is not in ``range``.
    package init?(_ count: Int, per unit: Unit) {
        guard Self.range.contains(count) else { return nil }
        self.count = count
        self.unit = unit
        nanoseconds = Int64(unit.seconds) * 1_000_000_000 / Int64(count)
    }

    /// Creates a rate from a text such as `20/s`, `300/min` or `1000/h`. Returns nil if the text has another form.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int(parts[0]),
            let unit = Unit(rawValue: String(parts[1]))
        else { return nil }
        self.init(count, per: unit)
    }

    /// The rate in the form that the initializer accepts.
    package var description: String { "\(count)/\(unit.rawValue)" }

    /// The rate as words, such as `20 requests a second`.
    package var phrase: String {
        "\(count) \(count == 1 ? "request" : "requests") \(unit == .hour ? "an" : "a") \(unit.word)"
    }

    /// The average time between two requests.
    package var interval: Duration { .nanoseconds(nanoseconds) }

    /// Returns whether this rate permits more requests than another rate: more at once, or more over time.
    package func exceeds(_ other: KeyRate) -> Bool { count > other.count || nanoseconds < other.nanoseconds }
}

/// The limits of a key. A limit that is nil is the gateway's default limit (`--key-rate`, `--key-streams`), unless the
/// key is exempt from this limit.
package struct KeyLimits: Sendable, Equatable {
    /// A set of limits.
    package struct Kinds: OptionSet, Sendable {
        /// One bit for each limit.
        package let rawValue: UInt8

        /// Creates a set from its bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The rate of requests.
        package static let rate = Kinds(rawValue: 1)
        /// The number of streams.
        package static let streams = Kinds(rawValue: 2)
    }

    /// The valid numbers of streams.
    package static let streamRange = 1...100_000

    /// The rate of requests.
    package var rate: KeyRate?
    /// The number of streams that may be open at the same time.
    package var streams: Int?
    /// The limits that do not exist for the key, so that no default limit applies either. They have no values.
    package var exempt: Kinds

    /// Creates limits from a rate, a number of streams, and the limits that do not exist.
    package init(rate: KeyRate? = nil, streams: Int? = nil, exempt: Kinds = []) {
        self.rate = rate
        self.streams = streams
        self.exempt = exempt
    }

    /// Returns these limits, with the default limits in place of missing ones. A limit that is still nil does not
    /// exist.
    package func completed(by defaults: KeyLimits) -> KeyLimits {
        KeyLimits(
            rate: exempt.contains(.rate) ? nil : rate ?? defaults.rate,
            streams: exempt.contains(.streams) ? nil : streams ?? defaults.streams)
    }
}
