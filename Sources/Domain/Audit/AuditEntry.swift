// SPDX-License-Identifier: Apache-2.0

/// An entry of the audit log: who did what, when, from where, in which project, and with which result.
///
/// An entry contains no text of a prompt, no query, and no other content of a request. Paths are replaced by the
/// templates of their routes.
package struct AuditEntry: Sendable, Equatable {
    /// A key, as an entry names it. The key may have been renamed or revoked since then.
    package struct Key: Sendable, Equatable {
        /// The id of a named key; nil for an administrator's secret in the settings.
        package var id: String?
        /// The name; nil if only the id is known.
        package var name: String?
        /// The projects to which the key is limited; nil if it can open all projects, or if this is not known.
        package var projects: Set<String>?

        /// Creates a key from its values.
        package init(id: String?, name: String?, projects: Set<String>? = nil) {
            self.id = id
            self.name = name
            self.projects = projects
        }
    }

    /// The time of the action, in milliseconds since 1970.
    package var time: Int64
    /// The key that was used; nil if there was none.
    package var key: Key?
    /// The client's address; nil if it is unknown or if there is no client.
    package var address: String?
    /// The project; nil if the action concerns none.
    package var project: String?
    /// The action.
    package var action: AuditAction
    /// The method and the template of the route, such as `POST /session/{sessionID}/shell`; nil if it is not known.
    package var route: String?
    /// The key to which the action was applied; nil for actions without such a key.
    package var subject: Key?
    /// The choice of a reply, such as `once`; nil for other actions, or if it was not readable.
    package var choice: String?
    /// The time in milliseconds for which a permission request or a question had waited for its reply.
    package var waited: Int64?
    /// The result; nil for an entry that is not about a request.
    package var result: AuditResult?
    /// The number of entries that this entry replaces; nil for all entries except those about omitted entries.
    package var count: Int?

    /// Creates an entry from its values. The other values are nil.
    package init(
        time: Int64, _ action: AuditAction, by key: Key? = nil, from address: String? = nil,
        project: String? = nil, result: AuditResult? = nil, count: Int? = nil
    ) {
        self.time = time
        self.action = action
        self.key = key
        self.address = address
        self.project = project
        self.result = result
        self.count = count
    }

    /// The projects of the key that the entry concerns: the key to which the action was applied, otherwise the key that
    /// was used. An administrator for some projects sees an entry without a project if it manages this key.
    var keyProjects: Set<String>? { (subject ?? key)?.projects }
}

/// An action that the audit log records.
package enum AuditAction: String, Sendable, CaseIterable {
    case keyCreated = "key_created"
    case keyChanged = "key_changed"
    case keyRotated = "key_rotated"
    case keyRevoked = "key_revoked"
    /// A key with the scope `admin` has created a pairing code.
    case pairingCodeCreated = "pairing_code_created"
    /// A device has received a key. The entry contains the key that has created the pairing code, and the device's address.
    case devicePaired = "device_paired"
    /// A key was used for the first time.
    case keyFirstUsed = "key_first_used"
    /// The gateway refused a request of a known key, or a request with a wrong key.
    case refused
    case start
    case stop
    case restart
    case prompt
    case abort
    /// A reply to a permission request.
    case permission
    /// A reply to a question.
    case question
    /// A command in a shell.
    case shell
    /// A terminal was created or opened.
    case terminal
    /// A request for a route that the gateway does not know, with a method that may change something.
    case unknown
    /// Entries were lost before this one.
    case omitted
    /// Entries about refused requests were not recorded, because there were too many.
    case refusalsOmitted = "refusals_omitted"
}

/// The result of an action.
package enum AuditResult: Sendable, Equatable {
    /// The status of the response.
    case status(Int)
    /// The client received no response, for example because it had disconnected.
    case noResponse

    /// Creates the result of a response with this status; 0 if there was none.
    package init(_ status: Int) { self = status == 0 ? .noResponse : .status(status) }

    /// The result as text, such as `200` or `no response`.
    package var text: String {
        switch self {
        case .status(let status): "\(status)"
        case .noResponse: "no response"
        }
    }
}

/// An object that adds entries to the audit log. Any thread may use it, and no call waits.
package protocol AuditRecorder: Sendable {
    /// Adds an entry. If the log cannot accept the entry, counts it as lost.
    func record(_ entry: AuditEntry)
}
