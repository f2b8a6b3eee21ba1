import Access
import EventLoop
import HTTPServer
import HTTPTypes
import Projects

/// A request that the control plane answers, as its handler gets it: checked, and independent of its connection.
struct ControlRequest: Sendable {
    /// Who has sent it; nil where everybody may.
    var principal: Principal?
    /// The project that the path names; nil where it names none.
    var project: ProjectName?
    /// The path's segments that vary, by their names, as they came: percent-encoded.
    var parameters: [String: ArraySlice<UInt8>] = [:]
    /// What follows the path's `?`.
    var query = RequestQuery([])
    /// The body, as the endpoint's ``BodyRule`` wants it; empty where that ignores it.
    var body: [UInt8] = []
}

/// What a handler answers.
enum ControlResponse: Sendable {
    /// A whole answer.
    case answer(Answer)
    /// A head, and a body that comes bit by bit: `source` runs until it returns, which ends the body. It is not run where
    /// nobody can get the body. `isPaced`: ``ResponseStream/write(_:)`` waits for the client; otherwise one for which more than
    /// `--stream-backlog` bytes wait is disconnected.
    case stream(ResponseHead, isPaced: Bool = true, source: @Sendable (ResponseStream) async -> Void)
    /// Nothing is in the way of an answer that the loop itself gives.
    case loop(@Sendable (ClientConnection, GatewayLoop) -> Void)
}

/// A stream's way from the control plane to its client.
struct ResponseStream: Sendable {
    private let mailbox: Mailbox<LoopMessage>
    private let call: Int

    init(_ mailbox: Mailbox<LoopMessage>, call: Int) {
        self.mailbox = mailbox
        self.call = call
    }

    /// Sends bytes, and waits in a paced stream while the client has not taken enough of those before; false where there is nobody any more
    /// who would read further ones.
    func write(_ bytes: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in
            mailbox.post(.call(call, .write(bytes) { continuation.resume(returning: $0) }))
        }
    }

    /// Ends the answer so that no client takes it for complete.
    func abort() { mailbox.post(.call(call, .abort)) }

    /// Waits; false as soon as there is nobody any more who would read.
    func pause(for duration: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            mailbox.post(.call(call, .pause(duration) { continuation.resume(returning: $0) }))
        }
    }
}
