// SPDX-License-Identifier: Apache-2.0

import Access
import HTTPServer
import OpenCodeFamilies

/// Decides whether a key permits a request to an instance.
enum InstanceScope {
    /// Returns the refusal of a request with this judgement; nil if a key with these rights may send it.
    ///
    /// The gateway does not yet examine the content of requests and responses. It therefore refuses the requests whose
    /// content decides whether a key permits them.
    static func refusal(of judgement: RouteJudgement, _ rights: KeyRights, project: String) -> GatewayError? {
        guard rights.includes(project: project) else { return ControlAnswers.projectNotFound(project) }
        if judgement.isPairing { return pairing }
        if let refusal = judgement.scope.refusal(of: rights, project: project) { return refusal }
        switch judgement.route?.content {
        case .reply where rights.scope < .write: return Scope.write.refusal(of: rights, project: project)
        case .secrets where rights.scope < .run: return Scope.run.refusal(of: rights, project: project)
        case .projects where rights.projects != nil: return otherProjects
        default: return nil
        }
    }

    private static let pairing = GatewayError(
        403, "OpenCode's own pairing would reveal the instance's password. Create a key of the gateway instead.")
    private static let otherProjects = GatewayError(
        403, "The response may name projects that this key cannot open. Use a key for all projects.")
}

extension Scope {
    /// Returns the refusal of a request that needs this scope; nil if a key with these rights may send it.
    ///
    /// - Parameter project: The project that the request concerns; nil if it concerns none or several.
    func refusal(of rights: KeyRights, project: String?) -> GatewayError? {
        guard rights.scope < self else { return nil }
        let object = project ?? "projects"
        let permitted =
            switch rights.scope {
            case .read: "read \(object)"
            case .answer: "read \(object) and answer questions"
            case .write: "work in \(object)"
            case .run, .admin: "control \(object)"
            }
        let missing =
            switch self {
            case .read: "read \(project == nil ? "them" : "it")"
            case .answer: "answer questions"
            case .write: "change \(project == nil ? "them" : "it")"
            case .run: "control \(project == nil ? "them" : "it")"
            case .admin: "manage the gateway"
            }
        return GatewayError(403, "This key may \(permitted) but not \(missing): it needs \"\(rawValue)\".")
    }
}
