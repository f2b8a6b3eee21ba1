// SPDX-License-Identifier: Apache-2.0

package import Access
internal import JSONText
package import OpenCodeFamilies

/// The values of a key that an administrator requests.
package struct KeyDraft: Sendable, Equatable {
    /// The name of the key.
    package var name: String
    /// The names of the projects that the key can open; nil for all projects.
    package var projects: [String]?
    /// The scope of the key.
    package var scope: Scope
    /// The time from now until the key expires; nil if the key does not expire.
    package var lifetime: Duration?
    /// The limits that differ from the default limits.
    package var limits: KeyLimits
    /// The value of the identity header that selects the key.
    package var identity: String?
    /// A remark.
    package var note: String?

    /// The scope of a key whose scope was not requested.
    package static let defaultScope = Scope.write

    /// Creates a draft from its values.
    package init(
        name: String, projects: [String]? = nil, scope: Scope = defaultScope, lifetime: Duration? = nil,
        limits: KeyLimits = KeyLimits(), identity: String? = nil, note: String? = nil
    ) {
        self.name = name
        self.projects = projects
        self.scope = scope
        self.lifetime = lifetime
        self.limits = limits
        self.identity = identity
        self.note = note
    }

    /// Creates a draft from the values of a patch.
    ///
    /// - Parameter name: The name if the patch contains none.
    package init(_ patch: KeyPatch, name: String) {
        self.init(
            name: patch.name ?? name, projects: patch.projects.flatMap(\.self), scope: patch.scope ?? Self.defaultScope,
            lifetime: patch.lifetime.flatMap(\.self),
            limits: KeyLimits(
                rate: patch.rate.flatMap(\.self), streams: patch.streams.flatMap(\.self), exempt: patch.exempt),
            identity: patch.identity.flatMap(\.self), note: patch.note.flatMap(\.self))
    }
}

/// The values of a key that an administrator changes. A value that is nil remains as it is.
package struct KeyPatch: Sendable, Equatable {
    /// The new name.
    package var name: String?
    /// The new projects; `.some(nil)` for all projects.
    package var projects: [String]??
    /// The new scope.
    package var scope: Scope?
    /// The new time from now until the key expires; `.some(nil)` if the key does not expire.
    package var lifetime: Duration??
    /// The new rate of requests; `.some(nil)` for the default limit.
    package var rate: KeyRate??
    /// The new number of streams; `.some(nil)` for the default limit.
    package var streams: Int??
    /// The limits that no longer exist for the key. Their values in ``rate`` and ``streams`` are `.some(nil)`.
    package var exempt: KeyLimits.Kinds = []
    /// The new value of the identity header; `.some(nil)` for none.
    package var identity: String??
    /// The new remark; `.some(nil)` for none.
    package var note: String??

    /// Creates a patch that changes nothing.
    package init() {}

    /// Whether the patch changes nothing that a key permits.
    var changesOnlyTexts: Bool {
        projects == nil && scope == nil && lifetime == nil && rate == nil && streams == nil && exempt.isEmpty
            && identity == nil
    }
}

/// The administrator that manages keys.
package struct KeyCaller: Sendable, Equatable {
    /// The credentials of the administrator.
    package enum Credentials: Sendable, Equatable {
        /// One of the administrators' secrets, or the command line without a running gateway.
        case administrator
        /// A named key, with the secret of this generation.
        case key(KeyID, generation: Int64)
    }

    /// The name of the key, which is recorded as the creator of new keys.
    package let name: String
    /// The caller that changes the database without a running gateway.
    package static let commandLine = KeyCaller(name: "command line", .administrator)

    /// The credentials.
    package let credentials: Credentials
    /// The browser's session that has sent the request; nil if there is none.
    package let session: KeyID?
    /// The client's address, for the audit log; nil if it is unknown or if there is no client.
    package let address: String?

    /// Creates a caller from its values.
    package init(name: String, _ credentials: Credentials, session: KeyID? = nil, address: String? = nil) {
        self.session = session
        self.name = name
        self.credentials = credentials
        self.address = address
    }
}

/// The reason why a request to manage keys is refused.
package enum KeyRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// A value of a key, as the command line and the HTTP API name it.
    package enum Value: String, Sendable {
        case name, projects, allow, expires, rate, streams, identity, note
        case keepOld = "keep_old"
    }

    /// The caller's own key no longer opens anything.
    case callerEnded
    /// The caller's key does not have the scope `admin`.
    case notAdministrator
    /// The caller can manage no key with this id.
    case unknownKey(String)
    /// The key with this name has expired, so a new secret would open nothing.
    case expired(String)
    /// Another key has this name.
    case nameTaken(String)
    /// Another key has this identity.
    case identityTaken(by: String)
    /// The body is not a JSON object.
    case notAnObject
    /// The body has a member with an unknown name.
    case unknownMember(String, known: [String])
    /// The body has two members with this name.
    case repeatedMember(String)
    /// The body of a request that creates a key contains no name.
    case missingName
    /// A value is invalid. The text says what is valid.
    case invalid(Value, String)
    /// The request would grant more of this value than the caller has. The text says what the caller has.
    case exceeds(Value, String)
    /// There are too many keys.
    case tooMany(limit: Int)
    /// The entry with this name is a browser's session, which has the rights of the key that has signed in.
    case isSession(String)
    /// The caller has no key with which a browser could sign in.
    case noSession

    /// The status of the HTTP response.
    package var status: Int {
        switch self {
        case .callerEnded: 401
        case .notAdministrator, .exceeds: 403
        case .unknownKey: 404
        case .expired, .nameTaken, .identityTaken, .tooMany, .isSession: 409
        case .notAnObject, .unknownMember, .repeatedMember, .missingName, .invalid, .noSession: 400
        }
    }

    /// The message for the client.
    package var description: String {
        switch self {
        case .callerEnded: "Invalid API key"
        case .notAdministrator: "This key may not manage keys: it needs \"admin\"."
        case .unknownKey(let id): "There is no key with the id \(id). GET /-/keys lists all keys."
        case .expired(let name): "The key \(name) has expired. Create a new key, or first change when this key expires."
        case .nameTaken(let name): "A key with the name \(name) exists. Choose another name, or revoke that key."
        case .identityTaken(let name):
            "The key \(name) already has this identity. Choose another identity, or change that key."
        case .notAnObject: "The body is not a JSON object. Send, for example, {\"name\":\"phone\"}."
        case .unknownMember(let name, let known):
            "The body has the unknown member \(JSONText.quoted(String(name.prefix(64)))). Known are \(known.joined(separator: ", "))."
        case .repeatedMember(let name): "The body has two members with the name \(name). Send one of them."
        case .missingName: "The body has no \"name\". Give the key a name."
        case .invalid(let value, let advice): "The value of \"\(value.rawValue)\" is invalid: \(advice)."
        case .exceeds(let value, let own):
            "A key can grant only what it has: your key \(own). Request less in \"\(value.rawValue)\", or use a key that has more."
        case .isSession(let name):
            "\(name) is the session of a browser, which has the rights of the key that has signed in. Change that key, or revoke the session."
        case .noSession: "The request has no key with which a browser could sign in. Send a key."
        case .tooMany(let limit): "There are \(limit) keys, which is the maximum. Revoke keys that are not used."
        }
    }
}
