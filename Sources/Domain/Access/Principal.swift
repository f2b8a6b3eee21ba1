// SPDX-License-Identifier: Apache-2.0

/// The key with which a request was admitted.
package struct Principal: Sendable, Hashable {
    /// The key's name, for logs. The name is not secret, and a reload can change it.
    package let name: String
    /// A part of the key's hash, which identifies the key even if a reload changes the name.
    let keyFingerprint: UInt64

    /// Creates a principal with this name and without a key.
    package init(name: String) { self.init(name: name, keyFingerprint: 0) }

    init(name: String, keyFingerprint: UInt64) {
        self.name = name
        self.keyFingerprint = keyFingerprint
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

    /// The message of the 401 response, which the wire contract defines; nil for a principal.
    package var detail: String? {
        switch self {
        case .principal: nil
        case .missing: "Missing or invalid Authorization header"
        case .invalid: "Invalid API key"
        }
    }
}
