// SPDX-License-Identifier: Apache-2.0

import Access
import Audit
import Keys

// The entries of the audit log about named keys.

extension AuditEntry {
    /// Creates the entry about a change of a key.
    ///
    /// - Parameters:
    ///   - key: The changed key.
    ///   - caller: The administrator.
    ///   - callerKey: The administrator's named key; nil for an administrator's secret.
    ///   - status: The status of the response.
    ///   - time: The time in milliseconds since 1970.
    init(
        _ action: AuditAction, on key: Keys.Key, by caller: KeyCaller, _ callerKey: Keys.Key?, status: Int,
        at time: Int64
    ) {
        self.init(
            time: time, action,
            by: AuditEntry.Key(
                id: caller.keyID?.description, name: caller.name, projects: callerKey?.rights.projects),
            from: caller.address, result: .status(status))
        subject = AuditEntry.Key(key)
    }

    /// Creates the entry about the first use of a key.
    init(firstUse use: Keys.Key.Use, of key: Keys.Key) {
        self.init(time: use.time, .keyFirstUsed, by: AuditEntry.Key(key), from: use.address)
        subject = AuditEntry.Key(key)
    }
}

extension AuditEntry.Key {
    /// Creates the key of an entry from a named key.
    init(_ key: Keys.Key) { self.init(id: key.id.description, name: key.name, projects: key.rights.projects) }
}

extension AuditAction {
    /// The message of the log line about a change of a key.
    var changeMessage: String {
        switch self {
        case .keyCreated: "key created"
        case .devicePaired: "device paired"
        case .keyRevoked: "key revoked"
        case .keyRotated: "key rotated"
        default: "key changed"
        }
    }

    /// The status of the response to a successful change of a key.
    var changeStatus: Int {
        switch self {
        case .keyCreated, .devicePaired: 201
        case .keyRevoked: 204
        default: 200
        }
    }
}

extension KeyCaller {
    /// The id of the caller's named key; nil for an administrator's secret.
    var keyID: KeyID? {
        guard case .key(let id, _) = credentials else { return nil }
        return id
    }
}
