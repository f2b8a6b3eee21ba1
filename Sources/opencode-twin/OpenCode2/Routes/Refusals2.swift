extension Refusal {
    /// A member or parameter is not there.
    static func missing(_ name: String, _ kind: String) -> Refusal {
        .invalid("Missing key\n  at [\"\(name)\"]", kind)
    }

    /// The request is understood and not allowed.
    static func forbidden(_ message: String) -> Refusal {
        Refusal(.error(403, "Forbidden", "ForbiddenError", [("message", .string(message))]))
    }
}
