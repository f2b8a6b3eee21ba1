// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The duration in whole milliseconds. A fraction of a millisecond is dropped.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    /// The style in which a duration is written.
    package enum TextStyle: Sendable {
        /// The syntax of settings, for the configuration and for sentences that name a setting, such as `500ms`, `90s`,
        /// `15min`, `24h` or `2d`. The unit is the largest one that needs no fraction. Only durations of at least two
        /// days use the unit `d`. Fractions of a millisecond are dropped.
        case setting
        /// The duration in seconds, for messages, such as `30 s` or `0.5 s`.
        case seconds
    }

    /// Returns the duration in the given style.
    package func text(_ style: TextStyle) -> String {
        switch style {
        case .setting:
            let milliseconds = Int(self.milliseconds)
            return milliseconds == 86_400_000 ? "24h" : QuantityUnit.text(milliseconds, in: QuantityUnit.durations)
        case .seconds:
            let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
            return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
        }
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
