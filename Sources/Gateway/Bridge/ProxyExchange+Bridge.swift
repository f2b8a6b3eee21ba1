import Dialects
import HTTPServer
internal import Instances
import OpenCode

/// The way from a request for an instance to the bridge, once it is judged what the request names.
extension ProxyExchange {
    /// Has the bridge answer a request of OpenCode 1's routes for an OpenCode 2; false where it goes to the instance as it is.
    func bridges() -> Bool {
        guard let connection, owner.bridge != nil,
            let reading = BridgeRequest.read(
                connection.head, target, of: route, isPinned: policy.pinsDirectories, hasHub: owner.events != nil)
        else { return false }
        switch reading {
        case .bridged(let request, let namesDirectory):
            let wantsProject = !namesDirectory || request["scope"] == "project" || request["path"] != nil
            guard wantsProject, policy.pinsDirectories, request.path == ["session"], request.method == "GET" else {
                bridge(request)
                break
            }
            list(request)
        case .terminal(let target):
            self.target = target[...]
            dropsDirectory = true
            pass()
        case .refused(let status, let sentence):
            owner.answer(connection, OpenCode1Error.of(.detail(status, sentence)))
            end()
        }
        return true
    }

    private func bridge(_ request: ClientRequest) {
        guard let connection else { return }
        end()
        BridgeExchange(owner, connection, route, policy, request).begin()
    }

    /// A list of sessions for who names no directory, or asks for it, is the whole project's, with its sub-folders and
    /// worktrees, unless that can't be told from others.
    private func list(_ request: ClientRequest) {
        if let own = owner.knowledge.knownProject(route) { return bridge(Self.list(request, of: own)) }
        holdBack()
        owner.knowledge.askProject(of: route) { [self] own in
            if letGo() { bridge(Self.list(request, of: own)) }
        }
    }

    private static func list(_ request: ClientRequest, of own: OpenCodeProject?) -> ClientRequest {
        guard let own, !own.isShared else { return request }
        var request = request
        request.project = String(decoding: own.id, as: UTF8.self)
        return request
    }
}
