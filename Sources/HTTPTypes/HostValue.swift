/// What may stand in a Host field: `uri-host [ ":" port ]` (RFC 9110 §7.2), and nothing else (RFC 9112 §3.2).
enum HostValue {
    /// Whether the value is one host, possibly empty, with or without a port.
    static func isValid(_ value: ArraySlice<UInt8>) -> Bool {
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
        return value[(index + 1)...].allSatisfy { 0x30...0x39 ~= $0 }
    }

    /// The index behind the bracket that closes an IP literal (RFC 3986 §3.2.2).
    private static func endOfLiteral(_ value: ArraySlice<UInt8>) -> Int? {
        guard let close = value.firstIndex(of: UInt8(ascii: "]")) else { return nil }
        let literal = value[(value.startIndex + 1)..<close]
        guard literal.count >= 2, literal.allSatisfy({ isNameCharacter($0) || $0 == UInt8(ascii: ":") }) else {
            return nil
        }
        return close + 1
    }

    /// A character of a registered name, an address or an IP literal (RFC 3986 §2.2, §2.3): unreserved or a
    /// sub-delimiter.
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
        return value[index + 1].hexadecimalValue != nil && value[index + 2].hexadecimalValue != nil
    }
}
