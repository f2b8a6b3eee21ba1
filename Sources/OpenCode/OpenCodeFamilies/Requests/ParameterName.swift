// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The name of a query parameter, as any parser may see it.
///
/// The gateway does not know which parser an instance uses. It therefore examines every form of a name, including forms
/// that some parsers reject, such as a name with an incomplete escape.
enum ParameterName {
    /// Returns the bytes in lower case, and the result of each repeated decoding, until decoding changes nothing or was
    /// repeated four times.
    static func spellings(of bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        var spellings = [bytes.map(lowercased)]
        while spellings.count <= 4, let last = spellings.last, last.contains(UInt8(ascii: "%")) {
            let next = PercentEncoding.decode(last).bytes.map(lowercased)
            guard next != last else { break }
            spellings.append(next)
        }
        return spellings
    }

    /// Returns the words of a name. Brackets and dots separate the name from a member. Some parsers remove other bytes at
    /// the ends of a name: spaces, a `+` that represents a space, and a `?`, which URLSearchParams removes
    /// (URL Standard §6.2).
    static func words(of spelling: [UInt8]) -> [ArraySlice<UInt8>] {
        spelling.split { $0 <= 0x20 || $0 == 0x7F || separators.contains($0) }
    }

    private static let separators = Array("[].+?".utf8)

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
