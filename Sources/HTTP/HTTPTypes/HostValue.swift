// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Validates the value of a Host field: `uri-host [ ":" port ]` (RFC 9110 §7.2), and nothing else (RFC 9112 §3.2).
package enum HostValue {
    /// Returns whether the value is one host, possibly empty, with or without a port.
    package static func isValid(_ value: ArraySlice<UInt8>) -> Bool {
        var index = value.startIndex
        if value.first == UInt8(ascii: "[") {
            guard let end = endOfLiteral(value) else { return false }
            index = end
        } else {
            while index < value.endIndex, value[index] != UInt8(ascii: ":") {
                guard isNameCharacter(value[index]) || isEscape(value, at: index) else { return false }
                index += 1
            }
        }
        guard index < value.endIndex else { return true }
        guard value[index] == UInt8(ascii: ":") else { return false }
        return isPort(value[(index + 1)...])
    }

    /// Returns whether the text consists of digits, possibly none (RFC 3986 §3.2.3), that form a valid port number.
    private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
        var number = 0
        for digit in digits {
            guard 0x30...0x39 ~= digit else { return false }
            number = number * 10 + Int(digit - 0x30)
            guard number <= 65_535 else { return false }
        }
        return true
    }

    /// Returns the index after the bracket that closes an IP literal (RFC 3986 §3.2.2).
    private static func endOfLiteral(_ value: ArraySlice<UInt8>) -> Int? {
        guard let close = value.firstIndex(of: UInt8(ascii: "]")) else { return nil }
        let literal = value[(value.startIndex + 1)..<close]
        return isIPv6(literal) || isFutureAddress(literal) ? close + 1 : nil
    }

    /// Returns whether the text is an `IPv6address`: eight groups of up to four hexadecimal digits. The last two groups
    /// may be an IPv4 address, and one run of groups may be shortened to `::`.
    private static func isIPv6(_ address: ArraySlice<UInt8>) -> Bool {
        let colon = UInt8(ascii: ":")
        var remainder = address
        var groups = 0
        var isShortened = false
        if remainder.starts(with: [colon, colon]) {
            isShortened = true
            remainder = remainder.dropFirst(2)
        }
        while !remainder.isEmpty {
            let end = remainder.firstIndex(of: colon) ?? remainder.endIndex
            let group = remainder[..<end]
            if end == remainder.endIndex, isIPv4(group) {
                groups += 2
                break
            }
            guard (1...4).contains(group.count), group.allSatisfy({ $0.hexadecimalDigitValue != nil }) else {
                return false
            }
            groups += 1
            guard end < remainder.endIndex else { break }
            remainder = remainder[(end + 1)...]
            // A text that ends here has a single trailing colon, which is invalid.
            guard let next = remainder.first else { return false }
            guard next == colon else { continue }
            guard !isShortened else { return false }
            isShortened = true
            remainder = remainder.dropFirst()
        }
        return isShortened ? groups <= 7 : groups == 8
    }

    /// Returns whether the text is an `IPv4address`: four numbers up to 255 without leading zeros.
    private static func isIPv4(_ address: ArraySlice<UInt8>) -> Bool {
        let parts = address.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && (part.first != 0x30 || part.count == 1)
                    && part.allSatisfy { 0x30...0x39 ~= $0 } && part.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 255
            }
    }

    /// Returns whether the text is an `IPvFuture`: `v`, a version, a dot, and an address in that version's format.
    private static func isFutureAddress(_ address: ArraySlice<UInt8>) -> Bool {
        guard let letter = address.first, letter | 0x20 == UInt8(ascii: "v"),
            let dot = address.firstIndex(of: UInt8(ascii: "."))
        else { return false }
        let version = address[(address.startIndex + 1)..<dot]
        let text = address[(dot + 1)...]
        return !version.isEmpty && version.allSatisfy { $0.hexadecimalDigitValue != nil }
            && !text.isEmpty && text.allSatisfy { isNameCharacter($0) || $0 == UInt8(ascii: ":") }
    }

    /// Returns whether a registered name, an address or an IP literal may contain the byte (RFC 3986 §2.2, §2.3):
    /// unreserved or a sub-delimiter.
    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "!"),
            UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    private static func isEscape(_ value: ArraySlice<UInt8>, at index: Int) -> Bool {
        guard value[index] == UInt8(ascii: "%"), index + 2 < value.endIndex else { return false }
        return Hexadecimal.byte(value[index + 1], value[index + 2]) != nil
    }
}
