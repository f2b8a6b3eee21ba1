// SPDX-License-Identifier: Apache-2.0

internal import Encodings

extension ArraySlice<UInt8> {
    /// Returns whether the percent-decoded bytes equal `word` (RFC 3986 §2.1). A `%` that does not begin an escape
    /// represents itself. If `plusIsSpace` is true, a `+` represents a space, as in a form (URL Standard,
    /// "application/x-www-form-urlencoded parsing").
    func spells(_ word: [UInt8], plusIsSpace: Bool = false) -> Bool {
        guard count >= word.count else { return false }
        var index = startIndex
        for wanted in word {
            guard index < endIndex else { return false }
            var byte = self[index]
            index += 1
            if byte == UInt8(ascii: "%"), index + 1 < endIndex,
                let escaped = Hexadecimal.byte(self[index], self[index + 1])
            {
                byte = escaped
                index += 2
            } else if plusIsSpace, byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            }
            guard byte == wanted else { return false }
        }
        return index == endIndex
    }
}
