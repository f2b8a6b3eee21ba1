// SPDX-License-Identifier: Apache-2.0

extension RequestError {
    /// Returns the error for a missing query parameter.
    static func missing(parameter name: String) -> RequestError {
        .invalid("Missing key\n  at [\"\(name)\"]", "Query")
    }

    /// Returns the error for a request that is understood but not allowed.
    static func forbidden(_ message: String) -> RequestError {
        RequestError(.error(403, "Forbidden", tag: "ForbiddenError", members: [("message", .string(message))]))
    }
}
