// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
package import HTTPTypes
package import Instances

/// An admitted request to a project's instance, which a feature serves.
package struct InstanceRequest {
    /// The client's connection, which carries the request and its response.
    package let connection: ClientConnection
    /// The route to the project's instance, which has an endpoint.
    package var route: RoutingTable.Route
    /// The policy that applies to the request until its end, even after a reload.
    package let policy: Policy
    /// The project's name as it appears in the path, neither decoded nor checked.
    package let segment: ArraySlice<UInt8>
    /// The target for the instance as the client sent it.
    package let receivedTarget: ArraySlice<UInt8>
    /// The target that the gateway sends to the instance.
    package var target: ArraySlice<UInt8>
    /// The content that the gateway examines because the request's key has limited rights; nil for most requests.
    package let content: LimitedContent?
    /// Whether to withhold the client's field `x-opencode-directory` from the instance.
    package var withholdsDirectory = false
    /// Whether to withhold the field `Last-Event-ID` from the instance, because only the gateway understands it.
    package var withholdsLastEventID = false

    init(
        _ connection: ClientConnection, to route: RoutingTable.Route, policy: Policy, segment: ArraySlice<UInt8>,
        target: ArraySlice<UInt8>, content: LimitedContent?
    ) {
        self.connection = connection
        self.route = route
        self.policy = policy
        self.segment = segment
        receivedTarget = target
        self.target = target
        self.content = content
    }
}

/// The decision of ``InstanceRequestRules`` about a request.
package enum RuleDecision {
    /// A feature may serve the request in its current form.
    case passes
    /// The gateway rejects the request with this error.
    case refused(GatewayError)
    /// The request must be changed, or more information is needed. The step responds to the request or passes it to
    /// ``GatewayLoop/serve(_:)``, immediately or later.
    case depends(_ step: (InstanceRequest) -> Void)
}

/// The rules about the directories and sessions that a request to an instance may name.
package protocol InstanceRequestRules: LoopFeature {
    /// Decides about a request by its head, without changing any state.
    func decide(
        _ head: RequestHead, _ target: ArraySlice<UInt8>, to route: RoutingTable.Route, under policy: Policy
    ) -> RuleDecision
}

/// A feature that serves requests to instances.
package protocol InstanceRequestHandler: LoopFeature {
    /// Serves the request and returns true. Returns false if another feature must serve the request, even if the method
    /// has changed the request.
    func handle(_ request: inout InstanceRequest) -> Bool
    /// Returns whether a request waits for an instance that will soon be ready, instead of being rejected.
    func waitsForInstance(_ head: RequestHead, _ target: ArraySlice<UInt8>) -> Bool
}

extension InstanceRequestHandler {
    /// Returns false, so that no request waits.
    package func waitsForInstance(_ head: RequestHead, _ target: ArraySlice<UInt8>) -> Bool { false }
}
