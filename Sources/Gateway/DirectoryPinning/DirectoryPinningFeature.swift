// SPDX-License-Identifier: Apache-2.0

package import EventLoop
package import GatewayCore
package import HTTPClient
import HTTPServer
package import HTTPTypes
package import Instances
import OpenCodeFamilies
import Projects

/// The directory pinning of one loop. The feature applies the directory rules to requests, and contains
/// the loop's session index.
package final class DirectoryPinningFeature {
    private unowned let gateway: GatewayLoop
    /// Sends a message to the hub's thread, which also has a session index.
    private let postToHub: @Sendable (SessionIndexMessage) -> Void
    /// The sessions of the instances.
    package private(set) lazy var sessions = LoopSessionIndex(self)

    /// Creates the feature.
    ///
    /// - Parameter postToHub: Sends a message to the hub's thread, which also has a session index.
    package init(_ gateway: GatewayLoop, postToHub: @escaping @Sendable (SessionIndexMessage) -> Void) {
        self.gateway = gateway
        self.postToHub = postToHub
    }

    /// Waits until an OpenCode 1 instance has opened the project's folder. The first loop sends the request to the
    /// instance on behalf of all loops, so that each run receives one request.
    ///
    /// - Parameter proceed: Called once, after the folder was opened or the time limit has passed.
    package func awaitFolder(_ endpoint: InstanceEndpoint, proceed: @escaping () -> Void) {
        sessions.awaitFolder(endpoint, proceed: proceed) { [unowned self] in
            guard gateway.postToFirst(.feature(FolderRequest(endpoint: endpoint))) else {
                return sessions.openFolder(endpoint)
            }
        }
    }

    /// A request from another loop to open the project's folder in an instance.
    private struct FolderRequest: FeatureMessage {
        let endpoint: InstanceEndpoint

        func deliver(to feature: DirectoryPinningFeature) { feature.sessions.openFolder(endpoint) }
    }
}

extension DirectoryPinningFeature: LoopFeature {
    /// Forgets the runs that have ended.
    package func routesChanged() { sessions.follow(gateway.snapshot.routes) }

    /// Records that the run has opened the project's folder.
    package func runAnswered(_ endpoint: InstanceEndpoint) { sessions.markOpen(endpoint) }
}

extension SessionIndexMessage: FeatureMessage {
    /// Delivers the message to the loop's session index.
    package func deliver(to feature: DirectoryPinningFeature) { feature.sessions.receive(self) }
}

extension DirectoryPinningFeature: SessionIndexOwner {
    /// The event loop that calls this feature.
    package var loop: EventLoop { gateway.loop }
    /// The loop's client for instances.
    package var client: UpstreamClient { gateway.client }
    /// The control plane, which responds to queries about projects.
    package var control: any ProjectControl { gateway.control }
    /// The current routing table.
    package var routes: RoutingTable { gateway.snapshot.routes }
    /// The time limit for an instance to report the directory of a session.
    package var lookupTimeout: Duration { .seconds(5) }
    /// Whether other threads have sent messages that the loop has not received yet.
    package var hasUnread: Bool { gateway.mailbox?.hasUnread ?? false }

    /// The closure that sends a message to this loop's session index; nil until the loop has a mailbox.
    package var sessionIndexPost: (@Sendable (SessionIndexMessage) -> Void)? {
        guard let mailbox = gateway.mailbox else { return nil }
        return { mailbox.post(.feature($0)) }
    }

    /// Sends a message to all threads that have a session index.
    package func broadcast(_ message: SessionIndexMessage) {
        gateway.postToAll(.feature(message))
        postToHub(message)
    }
}

// MARK: - Requests to instances

extension DirectoryPinningFeature: InstanceRequestRules {
    /// Applies the directory rules to a request, if directory pinning is enabled.
    package func decide(
        _ head: RequestHead, _ target: ArraySlice<UInt8>, to route: RoutingTable.Route, under policy: Policy
    ) -> RuleDecision {
        guard policy.pinsDirectories, let scope = route.scope else { return .passes }
        let verdict = DirectoryRules.verdict(head, target, in: scope, of: route.text)
        return switch verdict {
        case .passes: .passes
        case .refused(let sentence): .refused(GatewayError(403, sentence))
        case .unknownDirectory, .withoutDirectory, .sessionList, .removal:
            .depends { [unowned self] in apply(verdict, to: $0, in: scope) }
        }
    }

    /// Performs the steps that the verdict requires before a feature serves the request.
    private func apply(_ verdict: DirectoryRules.Verdict, to request: InstanceRequest, in scope: DirectoryScope) {
        var request = request
        switch verdict {
        case .passes: gateway.serve(request)
        case .refused(let sentence): gateway.refuse(request.connection, GatewayError(403, sentence))
        case .unknownDirectory: lookForWorktree(request, in: scope)
        case .withoutDirectory(let target):
            request.target = target
            request.withholdsDirectory = true
            gateway.serve(request)
        case .sessionList(let query): restrict(request, to: query, in: scope)
        case .removal(let session):
            let held = gateway.hold(request)
            sessions.remember(session, of: request.route) { [unowned gateway] in
                if let request = held.release() { gateway.serve(request) }
            }
        }
    }

    /// Reads the project's directories again, which may include a new worktree, and repeats the
    /// decision with the result.
    private func lookForWorktree(_ request: InstanceRequest, in scope: DirectoryScope) {
        let held = gateway.hold(request)
        sessions.lookUpDirectories(of: request.route.name) { [unowned self] found in
            guard let request = held.release(), let scope = found ?? request.route.scope else { return }
            let verdict = DirectoryRules.verdict(
                request.connection.head, request.target, in: scope, isPresent: true, of: request.route.text)
            apply(verdict, to: request, in: scope)
        }
    }

    /// Restricts the request to the project's own sessions.
    private func restrict(_ request: InstanceRequest, to query: SessionListQuery, in scope: DirectoryScope) {
        if !query.needsProject(in: scope) { return follow(query.narrowed(to: nil, in: scope), request) }
        if let openCodeProject = sessions.knownProject(request.route) {
            return follow(query.narrowed(to: openCodeProject, in: scope), request)
        }
        let held = gateway.hold(request)
        sessions.lookUpProject(of: request.route) { [unowned self] openCodeProject in
            if let request = held.release() { follow(query.narrowed(to: openCodeProject, in: scope), request) }
        }
    }

    private func follow(_ decision: SessionListQuery.Decision, _ request: InstanceRequest) {
        var request = request
        switch decision {
        case .unchanged: gateway.serve(request)
        case .query(let query):
            request.target = DirectoryRules.target(request.target, query: query)
            gateway.serve(request)
        case .refused(let refusal):
            gateway.refuse(
                request.connection,
                GatewayError(
                    refusal == .unknownProject ? 503 : 403, DirectoryRules.sentence(refusal, request.route.text)))
        }
    }
}
