// SPDX-License-Identifier: Apache-2.0

package import Access

/// A named key, without its secret.
///
/// All times are in milliseconds since 1970.
package struct Key: Sendable, Equatable {
    /// The way in which the key was given to its holder.
    package enum Kind: String, Sendable, CaseIterable {
        /// An administrator created the key.
        case key
        /// A device received the key by pairing.
        case device
        /// A browser holds the key in a cookie after a sign-in with another key.
        case session
    }

    /// The last use of a key.
    package struct Use: Sendable, Equatable {
        /// The time of the use.
        package var time: Int64
        /// The client's address; nil if it is unknown.
        package var address: String?
        /// The client's program, from its User-Agent field; nil if the request contained none.
        package var client: String?

        /// Creates a use from its values.
        package init(time: Int64, address: String?, client: String?) {
            self.time = time
            self.address = address
            self.client = client
        }
    }

    /// The id, which never changes.
    package let id: KeyID
    /// The name, which no other key has.
    package internal(set) var name: String
    /// The way in which the key was given to its holder.
    package let kind: Kind
    /// The requests that the key permits.
    package internal(set) var rights: KeyRights
    /// The time at which the key expires; nil if it does not expire.
    package internal(set) var expires: Int64?
    /// The limits that differ from the default limits.
    package internal(set) var limits: KeyLimits
    /// The value of the identity header that selects this key; nil if none does.
    package internal(set) var identity: String?
    /// A remark of the administrator.
    package internal(set) var note: String?
    /// The time of the creation.
    package let created: Int64
    /// The name of the key with which this key was created.
    package let creator: String
    /// The key with which the user of a browser's session has signed in; nil for all other kinds.
    package let parent: SessionParent?
    /// The keyed hash of the secret by which a device identifies itself when it pairs again; nil if there is none.
    package internal(set) var device: [UInt8]?
    /// The secrets that open the key: the current one, and the previous one while it remains valid.
    package internal(set) var secrets: [KeyIndex.Secret]
    /// The last use; nil if the key was never used.
    package var use: Use?

    /// Creates a key from its values.
    package init(
        id: KeyID, name: String, kind: Kind = .key, rights: KeyRights, expires: Int64? = nil,
        limits: KeyLimits = KeyLimits(), identity: String? = nil, note: String? = nil, created: Int64, creator: String,
        parent: SessionParent? = nil, device: [UInt8]? = nil, secrets: [KeyIndex.Secret], use: Use? = nil
    ) {
        self.parent = parent
        self.device = device
        self.id = id
        self.name = name
        self.kind = kind
        self.rights = rights
        self.expires = expires
        self.limits = limits
        self.identity = identity
        self.note = note
        self.created = created
        self.creator = creator
        self.secrets = secrets
        self.use = use
    }

    /// The number of rotations of the key.
    package var generation: Int64 { secrets.first?.generation ?? 0 }

    /// The key in the form that requests need.
    package var entry: KeyIndex.Entry {
        KeyIndex.Entry(
            id: id, name: name, rights: rights, expires: expires, limits: limits, identity: identity, secrets: secrets,
            parent: parent)
    }
}
