// SPDX-License-Identifier: Apache-2.0

import Access
import EventLoop
import HTTPServer
import HTTPTypes
import Projects

/// A request that the control plane answers, as its handler receives it: checked, and independent of its connection.
struct ControlRequest: Sendable {
    /// The principal that has sent it; nil if the endpoint is open.
    var principal: Principal?
    /// The project that the path names; nil if it names none.
    var project: ProjectName?
    /// The variable segments of the path by name, still percent-encoded.
    var parameters: [String: ArraySlice<UInt8>] = [:]
    /// The parameters after the path's `?`.
    var query = RequestQuery([])
    /// The body as the endpoint's ``BodyRule`` requires it; empty if the rule ignores it.
    var body: [UInt8] = []
}

/// The response of a handler.
enum ControlResponse: Sendable {
    /// A head and a complete body.
    case answer(GatewayAnswer)
    /// A head and a streamed body. `source` runs until it returns, which ends the body; it does not run if the client
    /// can't receive a body. If `isPaced` is true, ``ResponseStream/write(_:)`` waits for the client; otherwise a
    /// client is disconnected if more than `--stream-backlog` bytes wait for it.
    case stream(ResponseHead, isPaced: Bool = true, source: @Sendable (ResponseStream) async -> Void)
    /// The request is admissible, and the loop itself gives the answer.
    case loop(@Sendable (ClientConnection, GatewayLoop) -> Void)
}

/// The connection of a stream from the control plane to its client.
struct ResponseStream: Sendable {
    private let mailbox: Mailbox<LoopMessage>
    private let call: Int

    init(_ mailbox: Mailbox<LoopMessage>, call: Int) {
        self.mailbox = mailbox
        self.call = call
    }

    /// Sends bytes. In a paced stream it waits while the client has not received enough of the earlier bytes. Returns
    /// false if there is no longer a client to receive further bytes.
    func write(_ bytes: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in
            mailbox.post(.call(call, .write(bytes) { continuation.resume(returning: $0) }))
        }
    }

    /// Aborts the answer, so that no client considers it complete.
    func abort() { mailbox.post(.call(call, .abort)) }

    /// Waits for the duration. Returns false as soon as there is no longer a client.
    func pause(for duration: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            mailbox.post(.call(call, .pause(duration) { continuation.resume(returning: $0) }))
        }
    }
}
