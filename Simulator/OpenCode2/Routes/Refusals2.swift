// SPDX-License-Identifier: Apache-2.0

extension Refusal {
    /// Returns the error for a missing query parameter.
    static func missing(parameter name: String) -> Refusal {
        .invalid("Missing key\n  at [\"\(name)\"]", "Query")
    }

    /// Returns the error for a request that is understood but not allowed.
    static func forbidden(_ message: String) -> Refusal {
        Refusal(.error(403, "Forbidden", tag: "ForbiddenError", members: [("message", .string(message))]))
    }
}
