// SPDX-License-Identifier: Apache-2.0

package import Access
package import Addresses
package import Audit

/// The audit log as the loops use it.
package protocol RequestRecorder: AuditRecorder {
    /// Returns whether to record the refusal of a request of this client. If the result is false, counts the refusal as
    /// omitted, so that clients without a key cannot fill the log.
    ///
    /// - Parameter isOfKey: Whether the request has a valid key. Such refusals have a limit of their own.
    func admitsRefusal(of client: IPAddress?, isOfKey: Bool) -> Bool
    /// Returns whether to record a request of this client for a route that the gateway does not know. If the result is
    /// false, counts the request as omitted. Such requests can be frequent, and an entry costs more than the request.
    func admitsUnknownAction(of client: IPAddress?) -> Bool
}

/// An entry of the audit log whose request is in progress. The loop records the entry when the result is known.
final class PendingAuditEntry {
    /// The entry without its result and its project.
    private(set) var entry: AuditEntry
    /// Whether the action has begun. A later refusal is then a result of the action.
    let hasBegun: Bool
    private let recorder: any AuditRecorder

    /// Creates an entry that is not recorded yet.
    init(_ entry: AuditEntry, hasBegun: Bool, _ recorder: any AuditRecorder) {
        self.entry = entry
        self.hasBegun = hasBegun
        self.recorder = recorder
    }

    /// Records the entry with the status of the response; 0 if there was none.
    func complete(status: Int, project: String?) {
        entry.result = AuditResult(status)
        entry.project = project
        recorder.record(entry)
    }
}

extension AuditEntry.Key {
    /// Creates the key of a principal.
    package init(_ principal: Principal) {
        self.init(id: principal.key?.id.description, name: principal.name, projects: principal.rights.projects)
    }
}
