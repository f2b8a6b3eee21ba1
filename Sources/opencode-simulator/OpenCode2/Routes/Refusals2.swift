extension Refusal {
    /// A parameter of the query that must be there.
    static func missing(parameter name: String) -> Refusal {
        .invalid("Missing key\n  at [\"\(name)\"]", "Query")
    }

    /// The request is understood and not allowed.
    static func forbidden(_ message: String) -> Refusal {
        Refusal(.error(403, "Forbidden", "ForbiddenError", [("message", .string(message))]))
    }
}
