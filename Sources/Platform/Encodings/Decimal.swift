// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends a number in decimal digits, padded with zeros to `digits`. Creates no intermediate string.
    @inlinable
    package mutating func append(decimal number: UInt64, digits: Int = 1) {
        // Write the last digit first, because each division then has a constant divisor. Reverse the digits afterwards.
        var first = count
        var remainder = number
        repeat {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remainder % 10))
            remainder /= 10
        } while remainder > 0
        while count - first < digits { append(UInt8(ascii: "0")) }
        var last = count - 1
        while first < last {
            swapAt(first, last)
            first += 1
            last -= 1
        }
    }

    /// Appends a number in decimal digits, padded with zeros to `digits`. A negative number begins with a minus sign.
    @inlinable
    package mutating func append(decimal number: Int64, digits: Int = 1) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(decimal: number.magnitude, digits: digits)
    }
}
