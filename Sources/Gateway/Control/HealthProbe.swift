import EventLoop
import HTTPClient
import HTTPTypes
package import OpenCode

/// One health check to be made.
package struct HealthQuestion: Sendable {
    /// The port on 127.0.0.1 to ask.
    package var port: UInt16
    /// The value of the Authorization field; nil sends none.
    package var authorization: String?
    /// How long the whole answer may take.
    package var timeout: Duration

    /// A question.
    package init(port: UInt16, authorization: String?, timeout: Duration) {
        self.port = port
        self.authorization = authorization
        self.timeout = timeout
    }
}

/// What came of one health check.
package enum ProbeAnswer: Sendable {
    /// The instance has answered.
    case answered(HealthAnswer)
    /// It has not; why, as one sentence.
    case failed(String)
}

/// Asks one instance for its health, on a loop's own client: the control plane does no HTTP of its own.
final class HealthProbe: UpstreamFollower, TimerHandler {
    private static let longestBody = 64 * 1024

    private let loop: EventLoop
    private let timeout: Duration
    private var exchange: UpstreamExchange?
    private var timer: LoopTimer?
    private var status = 0
    private var body: [UInt8] = []
    private var report: ((ProbeAnswer) -> Void)?

    /// Asks at once and calls `report` exactly once.
    init(
        loop: EventLoop, client: UpstreamClient, _ question: HealthQuestion, report: @escaping (ProbeAnswer) -> Void
    ) {
        self.loop = loop
        timeout = question.timeout
        self.report = report
        var fields = FieldList()
        fields.append("Accept", "application/json")
        if let authorization = question.authorization { fields.append("Authorization", authorization) }
        let request = UpstreamRequest(
            port: question.port, method: .get, methodName: "GET", target: Array(HealthAnswer.path.utf8)[...],
            fields: fields,
            body: .none)
        let timer = loop.timer(self)
        self.timer = timer
        loop.arm(timer, after: timeout)
        exchange = client.start(request, follower: self)
        if exchange == nil { end(.failed("The gateway has no memory for a health check.")) }
    }

    private func end(_ answer: ProbeAnswer) {
        if let timer { loop.cancel(timer) }
        timer = nil
        exchange?.cancel()
        exchange = nil
        let report = self.report
        self.report = nil
        report?(answer)
    }

    func timerFired(_ timer: LoopTimer) {
        end(.failed("It accepts connections and did not answer its health check within \(timeout.plainText)."))
    }

    func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming) { status = head.status }

    func answerBody(_ bytes: Span<UInt8>) -> Bool {
        if body.count < Self.longestBody { body.append(bytes) }
        return true
    }

    func answerEnded(trailers: FieldList) { end(.answered(HealthAnswer(status: status, body: body))) }

    func answerFailed(_ failure: UpstreamFailure) {
        switch failure {
        case .refused: end(.failed("It does not accept connections on its port yet."))
        case .noAnswer(let reason), .badAnswer(let reason), .brokenBody(let reason):
            end(.failed("Its answer to the health check broke off: \(reason)."))
        }
    }

    func answerSettled() {}

    func uploadDrained() {}

    func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8]) { socket.close() }
}
