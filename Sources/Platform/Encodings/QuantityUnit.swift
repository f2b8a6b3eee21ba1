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
}
