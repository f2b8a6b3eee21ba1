// SPDX-License-Identifier: Apache-2.0

import Dialects
import Encodings
import EventHub
import GatewayCore
import JSONText

/// A step of the bridge in the form that a loop executes. A worker thread has already encoded its content.
enum BridgeAction: Sendable {
    typealias Next = @Sendable () -> BridgeStep

    case call(BridgeCall, @Sendable (Reply) -> BridgeStep)
    case hold(session: String, Next)
    case release(Next)
    case watchTurn(session: String, holds: Bool, Next)
    case awaitStreams(Next)
    /// The JSON of an event that must be published (``TurnEnds/publish(_:after:)``).
    case publish([UInt8], Next)
    case pause(milliseconds: Int, Next)
    case answer(ClientAnswer)
    case begin(ClientAnswer, Next)
    case write([UInt8], Next)
    case end
    case abort

    init(_ step: BridgeStep) {
        switch step {
        case .call(let call, let next): self = .call(BridgeCall(call), next)
        case .acquireLock(let session, let next): self = .hold(session: session, next)
        case .releaseLock(let next): self = .release(next)
        case .watchTurn(let session, let holds, let next):
            self = .watchTurn(session: session, holds: holds, next)
        case .awaitStreams(let next): self = .awaitStreams(next)
        case .publish(let change, let next):
            let id = OpenCodeEventID.make(at: WallClock.milliseconds)
            let event = Event(id: String(decoding: id, as: UTF8.self), change)
            self = .publish(event.json()?.bytes ?? [], next)
        case .pause(let milliseconds, let next): self = .pause(milliseconds: milliseconds, next)
        case .answer(let answer): self = .answer(answer)
        case .begin(let answer, let next): self = .begin(answer, next)
        case .write(let bytes, let next): self = .write(bytes, next)
        case .end: self = .end
        case .cut: self = .abort
        }
    }
}

/// A call to an instance that is ready to be sent.
struct BridgeCall: Sendable {
    let method: String
    let target: [UInt8]
    let fields: [String: String]
    let body: [UInt8]?
    let isLong: Bool
    let isOwed: Bool
    let patience: Duration?
    let longestReply: Int

    init(_ call: Call) {
        method = call.method
        target = Array(call.target.utf8)
        fields = call.fields
        body = call.body?.bytes
        isLong = call.isLong
        isOwed = call.isOwed
        longestReply = call.longestReply
        patience = call.patience.map { .milliseconds($0) }
    }
}

/// A message from another thread to a loop's bridge.
enum BridgeMessage: FeatureMessage {
    /// The next action of the run with this number.
    typealias Step = (run: Int, action: BridgeAction)

    /// The next actions of several runs.
    case steps([Step])
    /// The run with this number has acquired the session.
    case turn(Int, session: String)

    func deliver(to feature: BridgeFeature) { feature.receive(self) }
}
