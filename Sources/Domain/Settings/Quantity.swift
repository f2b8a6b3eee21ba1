// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Parses quantities in the syntax of settings: durations such as `15min` and sizes such as `64KiB`. A quantity is one
/// number with at most one unit.
enum Quantity {
    /// Parses `500ms`, `10s`, `15min`, `24h` or `1d`. A number without a unit is in seconds.
    static func parseDuration(_ text: String) throws(InvalidValue) -> Duration {
        guard let duration = QuantityUnit.duration(text) else {
            throw InvalidValue("is not a duration", fix: "write, for example, 500ms, 10s, 15min, 24h or 1d")
        }
        return duration
    }

    /// Parses `64KiB`, `4MiB` or `1GiB`. A number without a unit is in bytes.
    static func parseSize(_ text: String) throws(InvalidValue) -> Int {
        guard let bytes = QuantityUnit.amount(text, in: QuantityUnit.sizes, withoutUnit: 1) else {
            throw InvalidValue("is not a size", fix: "write, for example, 16384, 64KiB, 4MiB or 1GiB")
        }
        return bytes
    }

    /// Returns the size in the largest unit that needs no fraction, such as `64KiB`. A size in bytes has no unit, such
    /// as `1000`.
    static func text(size: Int) -> String {
        let text = QuantityUnit.text(size, in: QuantityUnit.sizes)
        return text.hasSuffix("iB") ? text : String(text.dropLast())
    }
}
