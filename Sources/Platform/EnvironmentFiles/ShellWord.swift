// SPDX-License-Identifier: Apache-2.0

/// Quotes words of a command that a user pastes into a shell.
package enum ShellWord {
    /// Returns `text` as one word of a shell command, in single quotes if it needs quoting.
    package static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
            default: "_-./=:,@%+".utf8.contains(byte)
            }
        }
        if isPlain && !text.isEmpty { return text }
        // Split at Unicode scalars. As a `Character`, a quote with a combining mark would not equal a quote.
        let parts = text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.map { String($0) }.joined(separator: #"'\''"#) + "'"
    }
}
