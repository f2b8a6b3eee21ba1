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
