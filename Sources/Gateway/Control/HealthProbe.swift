import Addresses
import EventLoop
import HTTPClient
import HTTPTypes
package import OpenCode

/// One health check to be made.
package struct HealthQuestion: Sendable {
    /// The port on 127.0.0.1 to ask.
    package var port: UInt16
    /// What the instance asks for; nil sends nothing.
    package var credentials: InstanceCredentials?
    /// Where to begin to ask.
    package var search: HealthSearch
    /// How long the whole answer may take.
    package var timeout: Duration

    /// A question.
    package init(port: UInt16, credentials: InstanceCredentials?, search: HealthSearch, timeout: Duration) {
        self.port = port
        self.credentials = credentials
        self.search = search
        self.timeout = timeout
    }
}

/// What came of one health check.
package enum ProbeAnswer: Sendable {
    /// The instance has answered, at last to this path.
    case answered(HealthAnswer, HealthPath)
    /// It has not; why, as one sentence.
    case failed(String)
}

/// Asks one instance for its health, on a loop's own client: the control plane does no HTTP of its own.
enum HealthProbe {
    private static let longestBody = 64 * 1024

    /// Asks at once, and another path when that is the wrong one; calls `report` exactly once.
    static func ask(_ question: HealthQuestion, of client: UpstreamClient, report: @escaping (ProbeAnswer) -> Void) {
        var fields = FieldList()
        fields.append("Accept", "application/json")
        let path = question.search.path
        let begun = MonotonicTime.now
        if let authorization = question.credentials?.authorization(for: path.family) {
            fields.append("Authorization", authorization)
        }
        let request = UpstreamRequest(
            instance: InstanceAddress(ip: .loopback, port: question.port), method: .get, methodName: "GET",
            target: Array(path.rawValue.utf8)[...], fields: fields, body: .none)
        WholeAnswer.ask(request, of: client, within: question.timeout, longestBody: longestBody) { outcome in
            let answer = answer(outcome, path, question.timeout)
            var question = question
            // All paths together have the time of one.
            question.timeout = max(.milliseconds(1), question.timeout - (MonotonicTime.now - begun))
            if case .answered(let health, _) = answer, question.search.goesOn(after: health) {
                return ask(question, of: client, report: report)
            }
            report(answer)
        }
    }

    private static func answer(
        _ outcome: WholeAnswer.Outcome, _ path: HealthPath, _ timeout: Duration
    ) -> ProbeAnswer {
        switch outcome {
        case .answered(let status, let body): .answered(HealthAnswer(status: status, body: body, path: path), path)
        case .failed(.refused): .failed("It does not accept connections on its port yet.")
        case .failed(.outOfDescriptors): .failed("The gateway has no file descriptor left for a health check.")
        case .failed(.noAnswer(let reason)), .failed(.badAnswer(let reason)), .failed(.brokenBody(let reason)):
            .failed("Its answer to the health check broke off: \(reason).")
        case .late:
            .failed("It accepts connections and did not answer its health check within \(timeout.plainText).")
        }
    }
}
