// SPDX-License-Identifier: Apache-2.0

package import HTTPServer

/// The requests of one loop that the control plane serves.
final class ControlCallFeature: LoopFeature {
    private unowned let loop: GatewayLoop
    private var calls: [Int: ControlCall] = [:]
    private var count = 0

    init(_ loop: GatewayLoop) { self.loop = loop }

    func start(
        _ connection: ClientConnection, _ request: ControlRequest, body: BodyRule,
        handler: @escaping ControlCall.Handler
    ) {
        count += 1
        let call = ControlCall(
            loop, self, connection: connection, number: count, request: request, body: body, handler: handler)
        calls[count] = call
        call.start()
    }

    func remove(_ call: ControlCall) { calls[call.number] = nil }

    func abort(revoked isRevoked: (UsedRights?) -> Bool) -> RevocationCounts {
        var counts = RevocationCounts()
        for call in Array(calls.values) where call.refuse(ifRevoked: isRevoked) { counts.requests += 1 }
        return counts
    }

    func endRequests() {
        for call in Array(calls.values) { call.abort() }
    }

    fileprivate func receive(_ message: CallMessage, for number: Int) {
        if let call = calls[number] { call.receive(message) } else { message.reject() }
    }
}

/// A message from the control plane to the call with this number.
struct ControlMessage: FeatureMessage {
    let call: Int
    let message: CallMessage

    func deliver(to feature: ControlCallFeature) { feature.receive(message, for: call) }
}

extension GatewayLoop {
    /// Passes a request to the control plane. The client's connection waits for the response.
    package func callControl(
        _ connection: ClientConnection, _ request: ControlRequest, body: BodyRule = .ignored,
        handler: @escaping @Sendable (ControlRequest, any ProjectControl) async -> ControlResponse
    ) {
        feature(ControlCallFeature.self)?.start(connection, request, body: body, handler: handler)
    }
}
