// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import Audit
import Dialects
import Encodings
import GatewayCore
internal import Instances
import OpenCodeFamilies
internal import Projects

/// The entries of the audit log about the requests of chats and conversations. A client's message can cause several
/// requests to OpenCode, and each action has its own entry.
extension ConversationProject {
    /// Returns the entry about a request of a client; nil if the request is not an action.
    func auditEntry(of request: ClientRequest, for initiator: RequestInitiator) -> AuditEntry? {
        guard context.setUp.audit != nil, request.method != "GET" else { return nil }
        let path = request.path.map { "/" + String(decoding: PercentEncoding.encode($0.utf8), as: UTF8.self) }.joined()
        let route = RouteJudgement(request.method, Array(path.utf8)[...], for: .one).route
        guard let route, let action = route.action, var entry = entry(AuditAction(action), for: initiator, at: now)
        else { return nil }
        entry.route = "\(route.method.rawValue) \(route.template)"
        return entry
    }

    /// Records an entry with the status of OpenCode's response; 0 if there was none.
    func record(_ entry: AuditEntry?, status: Int) {
        guard var entry else { return }
        entry.result = AuditResult(status)
        context.setUp.audit?.record(entry)
    }

    /// Records the start of the project's instance, unless the instance was running.
    func recordStart(_ answer: StartAnswer, for initiator: RequestInitiator, at time: Int64) {
        let status =
            switch answer {
            case .alreadyRunning: 0
            case .started: 200
            case .pending: 504
            case .notFound: 404
            case .failed: 500
            }
        if status > 0 { record(entry(.start, for: initiator, at: time), status: status) }
    }

    private func entry(_ action: AuditAction, for initiator: RequestInitiator, at time: Int64) -> AuditEntry? {
        guard case .client(let principal, let address) = initiator else { return nil }
        return AuditEntry(
            time: time, action, by: principal.map { AuditEntry.Key($0) }, from: address?.description,
            project: name.string)
    }
}
