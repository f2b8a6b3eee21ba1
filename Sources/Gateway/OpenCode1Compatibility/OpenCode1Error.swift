// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import JSONText

/// The gateway's own errors for a client of OpenCode 1. The errors have the members of OpenCode 1's errors and
/// of the gateway's errors.
enum OpenCode1Error {
    /// Returns the response for an error. The body is `{"name":…,"data":{"message":…},"detail":…}`.
    static func answer(to error: GatewayError) -> GatewayAnswer {
        let name = error.status == 400 ? "BadRequest" : "UnknownError"
        let sentence = JSONText.quoted(error.sentence)
        let body = #"{"name":"\#(name)","data":{"message":\#(sentence)},"detail":\#(sentence)}"#
        return GatewayAnswer(error, json: Array(body.utf8))
    }
}
