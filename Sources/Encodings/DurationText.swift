// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The duration in whole milliseconds. A fraction is omitted.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    /// The duration in the syntax of settings, in the largest unit that needs no fraction, days from two on: `500ms`,
    /// `90s`, `15min`, `24h`, `2d`. Fractions of a millisecond are omitted.
    package var settingText: String {
        let milliseconds = Int(self.milliseconds)
        return milliseconds == 86_400_000 ? "24h" : QuantityUnit.text(milliseconds, in: QuantityUnit.durations)
    }

    /// The duration in seconds for people: `30 s`, `0.5 s`.
    package var inWords: String {
        let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }
}

extension [UInt8] {
    /// Appends a duration in milliseconds with three decimals, such as `12.345`. Appends `0.000` for a negative
    /// duration.
    package mutating func append(milliseconds duration: Duration) {
        let (seconds, attoseconds) = Swift.max(duration, .zero).components
        let whole = seconds.multipliedReportingOverflow(by: 1_000_000)
        let microseconds = (whole.overflow ? .max - 1_000_000 : whole.partialValue) + attoseconds / 1_000_000_000_000
        append(decimal: microseconds / 1_000)
        append(UInt8(ascii: "."))
        append(decimal: microseconds % 1_000, digits: 3)
    }
}

/// A unit of a quantity in the syntax of settings, such as `min` or `KiB`.
package struct QuantityUnit: Sendable {
    /// The unit's name.
    package let name: String
    /// Its multiple of the smallest unit.
    package let factor: Int

    /// The units of durations, the smallest first.
    package static let durations = [
        QuantityUnit(name: "ms", factor: 1), QuantityUnit(name: "s", factor: 1_000),
        QuantityUnit(name: "min", factor: 60_000), QuantityUnit(name: "h", factor: 3_600_000),
        QuantityUnit(name: "d", factor: 86_400_000),
    ]
    /// The units of sizes, the smallest first.
    package static let sizes = [
        QuantityUnit(name: "B", factor: 1), QuantityUnit(name: "KiB", factor: 1 << 10),
        QuantityUnit(name: "MiB", factor: 1 << 20), QuantityUnit(name: "GiB", factor: 1 << 30),
    ]

    /// Returns an amount of the smallest unit in the largest unit that needs no fraction.
    package static func text(_ amount: Int, in units: [QuantityUnit]) -> String {
        let unit = units.last { amount >= $0.factor && amount % $0.factor == 0 } ?? units[0]
        return "\(amount / unit.factor)\(unit.name)"
    }
}
