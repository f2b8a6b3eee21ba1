// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import JSONText

/// The gateway's own errors for a client of OpenCode 1, which combine the form of OpenCode 1's errors with the
/// gateway's form.
enum OpenCode1Error {
    /// Returns the answer to an error, whose body is `{"name":…,"data":{"message":…},"detail":…}`.
    static func answer(to error: GatewayError) -> GatewayAnswer {
        let name = error.status == 400 ? "BadRequest" : "UnknownError"
        let sentence = JSONText.quoted(error.sentence)
        let body = #"{"name":"\#(name)","data":{"message":\#(sentence)},"detail":\#(sentence)}"#
        return GatewayAnswer(error, json: Array(body.utf8))
    }
}
