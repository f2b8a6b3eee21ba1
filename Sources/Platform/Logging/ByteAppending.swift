// SPDX-License-Identifier: Apache-2.0

/// Appends to a log line without creating intermediate strings, because the access log writes one line for each
/// request.
extension [UInt8] {
    /// Appends a field's name. Replaces every character except ASCII letters, digits and `_-.` with `_`.
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
