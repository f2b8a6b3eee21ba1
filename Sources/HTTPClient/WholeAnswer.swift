package import EventLoop
package import HTTPTypes

/// One request whose answer is wanted as a whole, within a time: for who asks on the gateway's own behalf.
package final class WholeAnswer: UpstreamDelegate, TimerHandler {
    /// What came of the request.
    package enum Outcome {
        /// The whole answer; of a body beyond the limit as much as was kept.
        case answered(status: Int, body: [UInt8])
        /// There is none.
        case failed(UpstreamFailure)
        /// It was not whole in time.
        case late
    }

    private let loop: EventLoop
    private let longestBody: Int
    private let reading: ((_ status: Int, Span<UInt8>) -> Void)?
    private var transfer: UpstreamTransfer?
    private var timer: LoopTimer?
    private var status = 0
    private var body: [UInt8] = []
    private var report: ((Outcome) -> Void)?

    /// Sends the request at once and calls `report` exactly once, never from within this call. Keeps about
    /// `longestBody` bytes of the answer's body and waits for it no longer than `timeout`.
    package static func ask(
        _ request: borrowing UpstreamRequest, of client: UpstreamClient, within timeout: Duration, longestBody: Int,
        report: @escaping (Outcome) -> Void
    ) {
        WholeAnswer(client.loop, longestBody, nil, report).send(request, client, timeout)
    }

    /// As ``ask(_:of:within:longestBody:report:)`` for a body that is read as it comes, and not kept.
    package static func ask(
        _ request: borrowing UpstreamRequest, of client: UpstreamClient, within timeout: Duration,
        reading: @escaping (_ status: Int, Span<UInt8>) -> Void, report: @escaping (Outcome) -> Void
    ) {
        WholeAnswer(client.loop, 0, reading, report).send(request, client, timeout)
    }

    private init(
        _ loop: EventLoop, _ longestBody: Int, _ reading: ((_ status: Int, Span<UInt8>) -> Void)?,
        _ report: @escaping (Outcome) -> Void
    ) {
        self.loop = loop
        self.longestBody = longestBody
        self.reading = reading
        self.report = report
    }

    private func send(_ request: borrowing UpstreamRequest, _ client: UpstreamClient, _ timeout: Duration) {
        let timer = loop.timer(self)
        self.timer = timer
        loop.arm(timer, after: timeout)
        transfer = client.start(request, follower: self)
    }

    private func end(_ outcome: Outcome) {
        if let timer { loop.cancel(timer) }
        timer = nil
        transfer?.cancel()
        transfer = nil
        let report = self.report
        self.report = nil
        report?(outcome)
    }

    /// The time is over.
    package func timerFired(_ timer: LoopTimer) { end(.late) }

    /// See ``UpstreamDelegate``.
    package func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming) { status = head.status }

    /// See ``UpstreamDelegate``.
    package func answerBody(_ bytes: Span<UInt8>) -> Bool {
        if let reading {
            reading(status, bytes)
        } else if body.count < longestBody {
            body.append(bytes)
        }
        return true
    }

    /// See ``UpstreamDelegate``.
    package func answerEnded(trailers: FieldList) { end(.answered(status: status, body: body)) }

    /// See ``UpstreamDelegate``.
    package func answerFailed(_ failure: UpstreamFailure) { end(.failed(failure)) }

    /// See ``UpstreamDelegate``.
    package func answerSettled() {}

    /// See ``UpstreamDelegate``.
    package func uploadHasRoom() {}

    /// See ``UpstreamDelegate``.
    package func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8]) { socket.close() }
}
