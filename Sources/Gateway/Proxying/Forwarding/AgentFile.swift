// SPDX-License-Identifier: Apache-2.0

import Encodings
import HTTPTypes

/// The files of an agent, which OpenCode serves with the type of their content (`/api/fs/read/…`). A page among them must
/// not run scripts at the gateway's origin.
enum AgentFile {
    private static let word = Array("fs/read".utf8)

    /// Returns whether a server may interpret a target as such a file, in any spelling of the path.
    static func isNamed(by target: ArraySlice<UInt8>) -> Bool {
        let text = target.span
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "?"): return false
            case UInt8(ascii: "%"), UInt8(ascii: "\\"): return isNamed(byEncoded: target)
            case UInt8(ascii: "f"), UInt8(ascii: "F"):
                guard index + word.count <= text.count else { continue }
                var offset = 1
                while offset < word.count, text[index + offset].lowercasedLetter == word[offset] { offset += 1 }
                if offset == word.count { return true }
            default: break
            }
        }
        return false
    }

    private static func isNamed(byEncoded target: ArraySlice<UInt8>) -> Bool {
        var text = Array(target.prefix { $0 != UInt8(ascii: "?") })
        for _ in 0..<3 { text = PercentEncoding.decode(text).bytes }
        text = text.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0.lowercasedLetter }
        return text.indices.contains { text[$0...].starts(with: word) }
    }

    /// Makes a browser treat the response as a page of an origin of its own and without scripts (Content Security Policy
    /// Level 3, "sandbox").
    static func isolate(_ head: inout ResponseHead) {
        head.fields.append("Content-Security-Policy", "sandbox")
        head.fields.append("X-Content-Type-Options", "nosniff")
    }
}
