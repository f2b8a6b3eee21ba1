// SPDX-License-Identifier: Apache-2.0

import Dialects
import HTTPServer
internal import Instances
import OpenCode

/// The transfer of a request for an instance to the bridge, after the directory that it names was checked.
extension ProxyExchange {
    /// Lets the bridge answer a request of OpenCode 1's API for an OpenCode 2. Returns false if the request is
    /// forwarded unchanged.
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
        BridgeExchange(owner, connection, route: route, policy: policy, request: request).begin()
    }

    /// Lists the sessions of the whole project, with its sub-folders and worktrees, for a client that names no
    /// directory or requests this scope. The request is unchanged if the project's sessions can't be distinguished from
    /// those of others.
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
