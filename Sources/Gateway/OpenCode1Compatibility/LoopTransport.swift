// SPDX-License-Identifier: Apache-2.0

import Dialects
import Encodings
import EventHub
import EventLoop
import GatewayCore
internal import JSONText
import Locking

/// The transport of one run. The run performs the operations of its task on the loop.
final class LoopTransport: BridgeTransport {
    /// An operation of a task. The second parameter is nil if the run has ended.
    typealias Operation = @Sendable (BridgeFeature, BridgeRun?) -> Void

    /// The number of the run.
    private let run: Int
    private let loop: Mailbox<LoopMessage>
    /// The operations that the task has sent while it runs on the loop; nil while the task runs on another thread.
    private let localOperations = Locked<[Operation]?>(nil)

    init(run: Int, loop: Mailbox<LoopMessage>) {
        self.run = run
        self.loop = loop
    }

    /// Runs a part of the task on the loop, and returns the operations that the task has sent. The loop then performs
    /// these operations without a message to itself.
    func operations(during body: () -> Void) -> [Operation] {
        localOperations.withLock { $0 = [] }
        body()
        return localOperations.withLock { operations in
            defer { operations = nil }
            return operations ?? []
        }
    }

    func send(_ call: Call) async throws(BridgeError) -> Reply {
        // Encode the body here instead of on the loop, because the task of a request with a body
        // runs on another thread.
        let call = BridgeCall(call)
        return try await suspend { run, reply in run.send(call, reply) }
    }

    func lock(session: String) async throws(BridgeError) {
        try await suspend { run, isLocked in run.lock(session, isLocked) }
    }

    func unlock() { perform { $0.unlock() } }

    func watchTurn(of session: String, holdsEnd: Bool) {
        perform { $0.watchTurn(of: session, holdsEnd: holdsEnd) }
    }

    func awaitStreams() async throws(BridgeError) { try await suspend { run, sent in run.awaitStreams(sent) } }

    func publish(_ event: Change) {
        let id = OpenCodeEventID.make(at: WallClock.milliseconds)
        let json = Event(id: String(decoding: id, as: UTF8.self), event).json()?.bytes ?? []
        perform { $0.publish(json) }
    }

    func pause(milliseconds: Int) async throws(BridgeError) {
        try await suspend { run, isOver in run.pause(.milliseconds(milliseconds), isOver) }
    }

    func begin(_ answer: ClientAnswer) { perform { $0.begin(answer) } }

    func write(_ bytes: [UInt8]) async throws(BridgeError) {
        try await suspend { run, hasRoom in run.write(bytes, hasRoom) }
    }

    /// Reports the response of the task.
    func finish(_ response: BridgeResponse) { perform { $0.finish(response) } }

    /// Performs an operation on the loop, if the run has not ended.
    private func perform(_ operation: @escaping @Sendable (BridgeRun) -> Void) {
        post { _, run in if let run { operation(run) } }
    }

    /// Starts an operation on the loop, and returns when the run resumes the continuation.
    private func suspend<Value: Sendable>(
        _ operation: @escaping @Sendable (BridgeRun, BridgeContinuation<Value>) -> Void
    ) async throws(BridgeError) -> Value {
        do {
            return try await withUnsafeThrowingContinuation { (continuation: BridgeContinuation<Value>) in
                post { feature, run in
                    if let run { return operation(run, continuation) }
                    feature.executor.resume(isLong: true) { continuation.resume(throwing: BridgeError.ended) }
                }
            }
        } catch {
            throw .ended
        }
    }

    private func post(_ operation: @escaping Operation) {
        let isLocal = localOperations.withLock { operations in
            operations?.append(operation)
            return operations != nil
        }
        if !isLocal { loop.post(.feature(BridgeMessage.perform(run: run, operation))) }
    }
}

/// The continuation of a suspended task. The run resumes the task exactly once, with a value or with
/// ``BridgeError/ended``. Tasks may still be suspended when the process ends, and a checked continuation would report
/// such a task as a misuse.
typealias BridgeContinuation<Value: Sendable> = UnsafeContinuation<Value, any Error>

/// A call to an instance, ready to be sent.
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

    /// Whether the run sends the call although the client has disconnected. The run sends a call that waits for the end
    /// of a turn only if the task must restore settings afterwards.
    var isSentForAbsentClient: Bool { !isLong || isOwed }
}

/// A message from another thread to a loop's bridge.
enum BridgeMessage: FeatureMessage {
    /// An operation to perform for the run with this number. The operation receives nil if the run has ended.
    case perform(run: Int, LoopTransport.Operation)
    /// The run with this number has acquired the session's lock.
    case locked(run: Int, session: String)

    func deliver(to feature: BridgeFeature) { feature.receive(self) }
}
