// SPDX-License-Identifier: Apache-2.0

internal import Clocks

/// Numbers with units in the syntax of settings: durations such as `15min`, sizes such as `64KiB`. One number, one
/// unit.
enum Quantity {
    /// A unit's name and its multiple of the smallest unit.
    typealias Unit = (name: String, factor: Int)

    // The smallest unit first.
    private static let durationUnits: [Unit] = [
        ("ms", 1), ("s", 1_000), ("min", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]
    private static let sizeUnits: [Unit] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]

    /// Parses `500ms`, `10s`, `15min`, `24h` or `1d`; a number alone means seconds.
    static func parseDuration(_ text: String) throws(InvalidValue) -> Duration {
        guard let milliseconds = parse(text, durationUnits, plain: 1_000) else {
            throw InvalidValue("is not a duration", fix: "write for example 500ms, 10s, 15min, 24h or 1d")
        }
        return .milliseconds(milliseconds)
    }

    /// Parses `64KiB`, `4MiB` or `1GiB`; a number alone means bytes.
    static func parseSize(_ text: String) throws(InvalidValue) -> Int {
        guard let bytes = parse(text, sizeUnits, plain: 1) else {
            throw InvalidValue("is not a size", fix: "write for example 16384, 64KiB, 4MiB or 1GiB")
        }
        return bytes
    }

    /// Returns the duration in the largest unit that needs no fraction, days from two on: `90s`, `15min`, `24h`, `2d`.
    /// Fractions of a millisecond are omitted.
    static func text(_ duration: Duration) -> String {
        let milliseconds = Int(duration.milliseconds)
        return milliseconds == 86_400_000 ? "24h" : text(milliseconds, durationUnits)
    }

    /// Returns the size in the largest unit that needs no fraction, plain bytes without a unit: `64KiB`, `1000`.
    static func text(size: Int) -> String {
        let text = text(size, sizeUnits)
        return text.hasSuffix("iB") ? text : String(text.dropLast())
    }

    private static func parse(_ text: String, _ units: [Unit], plain: Int) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text[digits.endIndex...]
        guard let number = Int(digits),
            let factor = unit.isEmpty ? plain : units.first(where: { $0.name == unit })?.factor
        else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }

    private static func text(_ amount: Int, _ units: [Unit]) -> String {
        let unit = units.last { amount >= $0.factor && amount % $0.factor == 0 } ?? units[0]
        return "\(amount / unit.factor)\(unit.name)"
    }
}
