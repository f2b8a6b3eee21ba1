/// The sender of a request.
package struct Principal: Sendable, Hashable {
    /// The key's name for logs, which is not secret.
    package let name: String

    /// Creates a principal with the given name.
    package init(name: String) { self.name = name }
}

/// The result of checking a request's credentials.
package enum Authentication: Sendable, Equatable {
    /// The request contains a known key.
    case principal(Principal)
    /// The request contains no credentials, or none in a supported format.
    case missing
    /// The request contains an unknown key.
    case invalid

    /// The sentence of the 401 response (the wire contract); nil for a principal.
    package var detail: String? {
        switch self {
        case .principal: nil
        case .missing: "Missing or invalid Authorization header"
        case .invalid: "Invalid API key"
        }
    }
}
