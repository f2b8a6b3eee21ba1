extension Refusal {
    /// A required query parameter is missing.
    static func missing(parameter name: String) -> Refusal {
        .invalid("Missing key\n  at [\"\(name)\"]", "Query")
    }

    /// The request is understood but not allowed.
    static func forbidden(_ message: String) -> Refusal {
        Refusal(.error(403, "Forbidden", "ForbiddenError", [("message", .string(message))]))
    }
}
