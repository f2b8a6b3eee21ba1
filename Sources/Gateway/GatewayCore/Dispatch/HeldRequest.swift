// SPDX-License-Identifier: Apache-2.0

import HTTPServer
internal import Instances
internal import Projects

/// A request to an instance that waits for information. A feature can serve the request only after the
/// gateway has this information.
///
/// If the instance ends or is replaced during the wait, the client receives an error, and ``release()`` returns nil.
package final class HeldRequest {
    fileprivate unowned let loop: GatewayLoop
    private var request: InstanceRequest?

    fileprivate init(_ loop: GatewayLoop, _ request: InstanceRequest) {
        self.loop = loop
        self.request = request
    }

    /// Ends the wait.
    ///
    /// - Returns: The request with the current route to the same instance; nil if the client has disconnected or has
    ///   received a response.
    package func release() -> InstanceRequest? {
        answerIfEnded(whileDraining: true)
        guard var request = detach() else { return nil }
        // The current route leads to the same instance, and may have newer directories.
        if let current = loop.snapshot.routes.route(to: request.route.name) { request.route = current }
        return request
    }

    /// Responds with an error if the request's instance has ended or was replaced. While the gateway is
    /// draining, the state of the instance does not matter: responds with an error if `whileDraining` is true,
    /// and does nothing otherwise.
    private func answerIfEnded(whileDraining: Bool) {
        guard let request else { return }
        let name = request.route.name
        let current = loop.snapshot.routes.route(to: name)
        if loop.isDraining {
            if whileDraining { refuse(ControlAnswers.shuttingDown(before: name.string, mayBeReceived: false)) }
        } else if let initiator = current?.stopInitiator {
            refuse(ControlAnswers.ended(name.string, by: initiator))
        } else if current?.endpoint?.generation != request.route.endpoint?.generation {
            refuse(ControlAnswers.notRunning(name.string, current?.state))
        }
    }

    private func refuse(_ error: GatewayError) {
        if let request = detach() { loop.refuse(request.connection, error) }
    }

    private func detach() -> InstanceRequest? {
        defer { request = nil }
        loop.heldRequests?.remove(self)
        return request
    }
}

extension HeldRequest: WaitingRequest {
    func routesChanged() { answerIfEnded(whileDraining: false) }

    /// Does nothing, because the missing information may still arrive in time.
    func drain() {}

    func giveUp() {
        guard let request else { return }
        refuse(ControlAnswers.shuttingDown(before: request.route.name.string, mayBeReceived: false))
    }
}

extension HeldRequest: ServerExchange {
    /// Does nothing, because the body waits for the feature that reads it.
    package func requestBodyArrived() {}
    /// Does nothing, because no response has begun.
    package func resumeResponse() {}
    /// Removes the request, because its client has disconnected.
    package func clientDisconnected() { _ = detach() }
}

/// A request that waits for an instance or for information before a feature serves the request.
protocol WaitingRequest: AnyObject {
    /// Called when there is a new routing table.
    func routesChanged()
    /// Called when the gateway begins to shut down.
    func drain()
    /// Responds to the client, because the gateway is shutting down and no longer waits.
    func giveUp()
}

/// The requests to instances that wait on one loop.
final class HeldRequestFeature: LoopFeature {
    private var requests: [ObjectIdentifier: any WaitingRequest] = [:]

    func add(_ request: any WaitingRequest) { requests[ObjectIdentifier(request)] = request }

    func remove(_ request: any WaitingRequest) { requests[ObjectIdentifier(request)] = nil }

    func routesChanged() {
        for request in Array(requests.values) { request.routesChanged() }
    }

    func drain() {
        for request in Array(requests.values) { request.drain() }
    }

    func endRequests() {
        for request in Array(requests.values) { request.giveUp() }
    }
}

extension GatewayLoop {
    /// The requests that wait on this loop.
    var heldRequests: HeldRequestFeature? { feature(HeldRequestFeature.self) }

    /// Keeps a request until the missing information is available.
    package func hold(_ request: InstanceRequest) -> HeldRequest {
        let held = HeldRequest(self, request)
        request.connection.exchange = held
        self.heldRequests?.add(held)
        return held
    }
}
