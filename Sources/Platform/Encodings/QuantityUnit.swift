// SPDX-License-Identifier: Apache-2.0

/// A unit of a quantity in the syntax of settings, such as `min` or `KiB`.
package struct QuantityUnit: Sendable {
    /// The unit's name, such as `min`.
    package let name: String
    /// The size of this unit as a multiple of the smallest unit.
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

    /// Returns the text of an amount in the largest unit that needs no fraction. The amount is given in the smallest
    /// unit.
    package static func text(_ amount: Int, in units: [QuantityUnit]) -> String {
        let unit = units.last { amount >= $0.factor && amount % $0.factor == 0 } ?? units[0]
        return "\(amount / unit.factor)\(unit.name)"
    }

    /// Returns the amount in a text such as `15min`, in the smallest unit. Returns nil if the text is not a whole number
    /// with at most one unit, or if the amount is too large.
    ///
    /// - Parameter factor: The factor of a number without a unit.
    package static func amount(_ text: String, in units: [QuantityUnit], withoutUnit factor: Int) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text[digits.endIndex...]
        guard let number = Int(digits),
            let factor = unit.isEmpty ? factor : units.first(where: { $0.name == unit })?.factor
        else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }

    /// Returns the duration in a text in the syntax of settings: `500ms`, `10s`, `15min`, `24h` or `1d`. A number
    /// without a unit is in seconds. Returns nil if the text has another form.
    package static func duration(_ text: String) -> Duration? {
        amount(text, in: durations, withoutUnit: 1_000).map { .milliseconds($0) }
    }
}
