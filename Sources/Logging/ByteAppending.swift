// SPDX-License-Identifier: Apache-2.0

internal import TextCoding

/// Appends to a log line without creating intermediate strings, because the access log writes one line for each
/// request.
extension [UInt8] {
    /// Appends a whole number in decimal digits.
    mutating func appendDecimal(_ value: some FixedWidthInteger) {
        guard value.magnitude > 9 else {
            if value < 0 { append(ASCII.hyphen) }
            append(ASCII.zero + UInt8(value.magnitude))
            return
        }
        if value < 0 { append(ASCII.hyphen) }
        let start = count
        var rest = value.magnitude
        while rest > 0 {
            append(ASCII.zero + UInt8(rest % 10))
            rest /= 10
        }
        self[start...].reverse()
    }

    /// Appends a duration in milliseconds with three decimals, such as `12.345`. Appends `0.000` for a negative
    /// duration.
    mutating func appendMilliseconds(_ duration: Duration) {
        let (seconds, attoseconds) = Swift.max(duration, .zero).components
        let whole = seconds.multipliedReportingOverflow(by: 1_000_000)
        let microseconds = (whole.overflow ? .max - 1_000_000 : whole.partialValue) + attoseconds / 1_000_000_000_000
        appendDecimal(microseconds / 1_000)
        append(ASCII.dot)
        append(decimal: microseconds % 1_000, digits: 3)
    }

    /// Appends a range of a span unchanged.
    mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        for index in range { append(bytes[index]) }
    }

    /// Appends a field's name. Replaces every character except ASCII letters, digits and `_-.` by `_`.
    mutating func appendName(_ name: String) {
        if name.utf8.allSatisfy(\.isNameCharacter) {
            append(contentsOf: name.utf8)
        } else {
            append(contentsOf: name.utf8.lazy.map { $0.isNameCharacter ? $0 : ASCII.underscore })
        }
    }
}

extension UInt8 {
    /// Whether a field's name may contain the byte.
    var isNameCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, ASCII.underscore, ASCII.hyphen, ASCII.dot: true
        default: false
        }
    }
}
