// SPDX-License-Identifier: Apache-2.0

import Encodings
import HTTPTypes

/// The parameters after the `?` of a request target, parsed like a form
/// (URL Standard, "application/x-www-form-urlencoded parsing").
package struct RequestQuery: Sendable, Equatable {
    private let bytes: ArraySlice<UInt8>

    /// Parses the bytes after the `?` in a target.
    package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// The first value with this name; nil if there is none. U+FFFD replaces invalid UTF-8.
    package subscript(name: String) -> String? {
        for parameter in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = parameter.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let key = parts.first, Self.decoded(key) == name else { continue }
            return parts.count > 1 ? Self.decoded(parts[1]) : ""
        }
        return nil
    }

    /// Decodes a name or a value. A `%` that begins no escape represents itself, and `+` represents a space.
    private static func decoded(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: PercentEncoding.decode(text, plusIsSpace: true).bytes, as: UTF8.self)
    }
}
