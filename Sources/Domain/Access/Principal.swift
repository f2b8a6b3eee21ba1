// SPDX-License-Identifier: Apache-2.0

/// The key with which a user has signed in. The session has the rights of this key, and ends with it.
package enum SessionParent: Sendable, Hashable {
    /// One of the administrators' secrets, identified by a part of its hash.
    case secret(fingerprint: UInt64)
    /// A named key, with the secret of this generation.
    case key(KeyID, generation: Int64)
}

/// The key with which a request was admitted.
///
/// `Principal` is a class, so that passing the principal of a request on costs only one reference count.
package final class Principal: Sendable, Hashable {
    /// The credential of a principal.
    enum Credential: Sendable, Hashable {
        case none
        /// One of the administrators' secrets. A part of the secret's hash identifies it even if a reload changes its
        /// name.
        case secret(fingerprint: UInt64)
        /// A secret of a named key.
        case key(KeyID, generation: Int64)
        /// The identity of a named key that a trusted proxy has reported, with the generation of the key's secret.
        case identity(KeyID, generation: Int64, String)
        /// A browser's session, and the key with which the user has signed in.
        case session(KeyID, parent: SessionParent)
    }

    /// The key's name, for logs. The name is not secret, and can be changed.
    package let name: String
    /// The requests that the key permitted when the request was admitted.
    package let rights: KeyRights
    /// The limits of the named key that differ from the default limits.
    package let limits: KeyLimits
    /// The current use of the named key's limits; nil for an administrator's secret, which has no limits.
    package let meter: KeyMeter?
    let credential: Credential
    /// The time until which the secret opens its key, in milliseconds since 1970; nil if the time is not limited.
    package let validUntil: Int64?

    /// Whether the principal may have fewer rights than an administrator's secret, now or after a change of its key.
    package var isLimited: Bool { meter != nil || rights.projects != nil }

    /// Creates a principal with this name and without a key.
    package convenience init(name: String) { self.init(name: name, rights: .everything, credential: .none) }

    init(
        name: String, rights: KeyRights, credential: Credential, limits: KeyLimits = KeyLimits(),
        meter: KeyMeter? = nil, validUntil: Int64? = nil
    ) {
        self.validUntil = validUntil
        self.name = name
        self.rights = rights
        self.credential = credential
        self.limits = limits
        self.meter = meter
    }

    /// The id of the named key and the generation of its secret; nil for an administrator's secret. For a session, this
    /// is the key with which the user has signed in.
    package var key: (id: KeyID, generation: Int64)? {
        switch credential {
        case .key(let id, let generation), .identity(let id, let generation, _): (id, generation)
        case .session(_, .key(let id, let generation)): (id, generation)
        case .none, .secret, .session(_, .secret): nil
        }
    }

    /// Returns a principal with the same key that can open only this project. Returns nil if the key cannot open it.
    package func limited(to project: String) -> Principal? {
        guard rights.includes(project: project) else { return nil }
        return Principal(
            name: name, rights: KeyRights(rights.scope, projects: [project]), credential: credential, limits: limits,
            meter: meter, validUntil: validUntil)
    }

    /// The id of the entry in the list of keys whose use the principal's requests are; nil for an administrator's secret.
    package var entry: KeyID? { if case .session(let id, _) = credential { id } else { key?.id } }

    /// The key that a session which this principal begins belongs to; nil if the principal has no key. A session that
    /// signs in again receives the same key.
    package var sessionParent: SessionParent? {
        switch credential {
        case .none: nil
        case .secret(let fingerprint): .secret(fingerprint: fingerprint)
        case .key(let id, let generation), .identity(let id, let generation, _): .key(id, generation: generation)
        case .session(_, let parent): parent
        }
    }

    /// The id of the browser's session; nil if the principal was not admitted with a cookie.
    package var session: KeyID? { if case .session(let id, _) = credential { id } else { nil } }

    /// Whether a browser adds the principal's credential to each request by itself, even to one that a page of another
    /// origin causes: the cookie of a session, or the identity that a trusted proxy reports.
    package var isAmbient: Bool {
        switch credential {
        case .identity, .session: true
        case .none, .secret, .key: false
        }
    }

    /// Returns whether two principals have the same name.
    package static func == (left: Principal, right: Principal) -> Bool { left.name == right.name }

    /// Hashes only the name, because principals with the same name are equal.
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The result of checking a request's credentials.
package enum Authentication: Sendable, Equatable {
    /// The request contains a known key.
    case principal(Principal)
    /// The request contains no credentials in a supported format.
    case missing
    /// The request contains an unknown key.
    case invalid
    /// The request contains a text that begins like the token of a named key, but is none.
    case mistyped
    /// The request contains a named key that has expired.
    case expired
    /// The request contains the token of a named key, and the gateway cannot read the named keys.
    case unavailable

    /// The message of the 401 response; nil for a principal. The wire contract defines the messages for missing and
    /// invalid keys.
    package var detail: String? {
        switch self {
        case .principal: nil
        case .missing: "Missing or invalid Authorization header"
        case .invalid: "Invalid API key"
        case .mistyped: "This key is mistyped."
        case .unavailable: "The gateway cannot read the named keys at the moment. Try again later."
        case .expired: "This key has expired. Ask the administrator for a new key."
        }
    }
}
