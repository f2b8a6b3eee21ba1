import HTTPTypes
import TextCoding

/// The parameters of a query, read as a form's (URL Standard, "application/x-www-form-urlencoded parsing").
struct RequestQuery: Sendable, Equatable {
    private let bytes: ArraySlice<UInt8>

    /// What follows the `?` of a target.
    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// The first value of this name; nil where there is none. Bytes that are no UTF-8 are shown as U+FFFD.
    subscript(name: String) -> String? {
        for parameter in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = parameter.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let key = parts.first, Self.decoded(key) == name else { continue }
            return parts.count > 1 ? Self.decoded(parts[1]) : ""
        }
        return nil
    }

    /// A `%` that begins no escape stands for itself, and `+` for a space.
    private static func decoded(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: PercentEncoding.decode(text, plusIsSpace: true).bytes, as: UTF8.self)
    }
}
