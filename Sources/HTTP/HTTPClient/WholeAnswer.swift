// SPDX-License-Identifier: Apache-2.0

internal import Encodings
package import EventLoop
package import HTTPTypes

/// A request from the gateway itself, which needs the complete response within a time limit.
package final class WholeAnswer: UpstreamDelegate, TimerHandler {
    /// The result of the whole request.
    package enum RequestResult {
        /// The response. If the body exceeds the limit, only its beginning is included.
        case answered(status: Int, body: [UInt8])
        /// The request has failed without a complete response.
        case failed(UpstreamFailure)
        /// The response was not complete within the time limit.
        case late
    }

    private let loop: EventLoop
    private let longestBody: Int
    private let reading: ((_ status: Int, Span<UInt8>) -> Void)?
    private var transfer: UpstreamTransfer?
    private var timer: LoopTimer?
    private var status = 0
    private var body: [UInt8] = []
    private var report: ((RequestResult) -> Void)?

    /// Sends the request immediately and calls `report` exactly once, but never during this call.
    ///
    /// - Parameters:
    ///   - longestBody: The approximate number of bytes of the response's body to keep.
    ///   - timeout: The time limit for the complete response.
    package static func send(
        _ request: borrowing UpstreamRequest, of client: UpstreamClient, within timeout: Duration, longestBody: Int,
        report: @escaping (RequestResult) -> Void
    ) {
        WholeAnswer(client.loop, longestBody: longestBody, reading: nil, report: report).send(
            request, through: client, within: timeout)
    }

    /// Sends a request like ``send(_:of:within:longestBody:report:)``, but passes the body on as it arrives instead of
    /// keeping it.
    package static func send(
        _ request: borrowing UpstreamRequest, of client: UpstreamClient, within timeout: Duration,
        reading: @escaping (_ status: Int, Span<UInt8>) -> Void, report: @escaping (RequestResult) -> Void
    ) {
        WholeAnswer(client.loop, longestBody: 0, reading: reading, report: report).send(
            request, through: client, within: timeout)
    }

    private init(
        _ loop: EventLoop, longestBody: Int, reading: ((_ status: Int, Span<UInt8>) -> Void)?,
        report: @escaping (RequestResult) -> Void
    ) {
        self.loop = loop
        self.longestBody = longestBody
        self.reading = reading
        self.report = report
    }

    private func send(_ request: borrowing UpstreamRequest, through client: UpstreamClient, within timeout: Duration) {
        let timer = loop.timer(self)
        self.timer = timer
        loop.arm(timer, after: timeout)
        transfer = client.start(request, delegate: self)
    }

    private func finish(_ result: RequestResult) {
        if let timer { loop.cancel(timer) }
        timer = nil
        transfer?.cancel()
        transfer = nil
        let report = self.report
        self.report = nil
        report?(result)
    }

    /// Reports that the time limit has passed.
    package func timerFired(_ timer: LoopTimer) { finish(.late) }

    /// Stores the status of the response.
    package func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming) { status = head.status }

    /// Stores the bytes of the body up to the limit, or passes the bytes on.
    package func answerBody(_ bytes: Span<UInt8>) -> Bool {
        if let reading {
            reading(status, bytes)
        } else if body.count < longestBody {
            body.append(copying: bytes)
        }
        return true
    }

    /// Reports the complete response to the caller.
    package func answerEnded(trailers: FieldList) { finish(.answered(status: status, body: body)) }

    /// Reports the failure of the request.
    package func answerFailed(_ failure: UpstreamFailure) { finish(.failed(failure)) }

    /// Does nothing, because the response is reported as a whole.
    package func answerSettled() {}

    /// Does nothing, because the request's body is not streamed.
    package func uploadHasRoom() {}

    /// Closes the socket, because no protocol switch was requested.
    package func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8]) { socket.close() }
}
