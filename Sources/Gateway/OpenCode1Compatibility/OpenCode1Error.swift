// SPDX-License-Identifier: Apache-2.0

import GatewayCore
import HTTPServer
import HTTPTypes

/// The gateway's own errors for a client of OpenCode 1, which combine the form of OpenCode 1's errors with the
/// gateway's form.
enum OpenCode1Error {
    /// Returns the error `{"name":…,"data":{"message":…},"detail":…}` with the sentence and the fields of the answer.
    static func of(_ answer: GatewayAnswer) -> GatewayAnswer {
        // The bytes between are one JSON string.
        guard answer.body.starts(with: start), answer.body.last == UInt8(ascii: "}") else { return answer }
        let sentence = answer.body.dropFirst(start.count).dropLast()
        var translated = answer
        let name = answer.head.status == 400 ? "BadRequest" : "UnknownError"
        translated.body =
            Array(#"{"name":"\#(name)","data":{"message":"#.utf8) + sentence + Array(#"},"detail":"#.utf8) + sentence
            + [UInt8(ascii: "}")]
        return translated
    }

    private static let start = Array(#"{"detail":"#.utf8)
}
