// SPDX-License-Identifier: Apache-2.0

import Encodings
import HTTPTypes

/// The files of an agent, which OpenCode serves with the type of their content (`/api/fs/read/…`). A page among them must
/// not run scripts at the gateway's origin.
enum AgentFile {
    private static let usual = Array("/api/fs/read/".utf8)
    private static let word = Array("fs/read".utf8)

    /// Returns whether a server may interpret a target as such a file, in any spelling of the path.
    static func isNamed(by target: ArraySlice<UInt8>) -> Bool {
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        if path.starts(with: usual) { return true }
        // Nearly all paths consist of characters that have only one spelling.
        let isPlain = path.allSatisfy { $0 > 0x60 && $0 < 0x7B || $0 == 0x2F || $0 == 0x5F || $0 > 0x2F && $0 < 0x3A }
        guard !isPlain else { return false }
        var text = Array(path)
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
