/// Who a request comes from.
package struct Principal: Sendable, Hashable {
    /// The key's name, for logs; not secret.
    package let name: String

    /// A principal of this name.
    package init(name: String) { self.name = name }
}

/// What the credentials of a request are worth.
package enum Authentication: Sendable, Equatable {
    /// A known key was presented.
    case principal(Principal)
    /// No credentials, or none of a form that the gateway knows.
    case missing
    /// Credentials with an unknown key.
    case invalid

    /// The sentence of the 401 answer (the wire contract); nil for a principal.
    package var detail: String? {
        switch self {
        case .principal: nil
        case .missing: "Missing or invalid Authorization header"
        case .invalid: "Invalid API key"
        }
    }
}
