import HTTPClient
import HTTPServer
import HTTPTypes
import Logging
internal import Projects

/// What the gateway says itself, to clients and in the log.
extension GatewayLoop {
    /// Answers with an error whose body is this sentence.
    func refuse(_ connection: ClientConnection, _ status: Int, _ sentence: String) {
        answer(connection, .detail(status, sentence))
    }

    /// Answers with what the gateway says itself.
    func answer(_ connection: ClientConnection, _ answer: Answer) {
        connection.respond(completed(answer, connection))
    }

    /// Answers with a page, or says that the client has it already.
    func answer(_ connection: ClientConnection, _ page: StaticPage) {
        // With a body still to come it would have to be read first.
        guard page.isKnown(to: connection.head.fields), connection.isBodyComplete else {
            return answer(connection, page.whole)
        }
        let answer = completed(Answer(head: page.unchanged, body: []), connection)
        connection.begin(answer.head, .none(announced: UInt64(page.whole.body.count)))
    }

    /// The answer with the fields that every one of the gateway's own has: the request's id where it is an error, so
    /// that a user can name the log line, and what browsers want to know.
    func completed(_ answer: Answer, _ connection: ClientConnection) -> Answer {
        let isError = answer.head.status >= 400
        guard isError || !connection.request.begin(snapshot).origins.isEmpty else { return answer }
        var answer = answer
        if isError, hasConversations, ConversationService.isTheirs(connection.head.target[...]) {
            answer = ConversationService.inTheirForm(answer)
        }
        if isError { answer.head.fields.append("X-Request-Id", requestID(connection.number)) }
        if let terms = crossOriginTerms(connection) { answer.head.fields.append(contentsOf: terms.fields) }
        return answer
    }

    /// What the answer to the connection's request tells a browser.
    func crossOriginTerms(_ connection: ClientConnection) -> CrossOriginTerms? {
        connection.request.begin(snapshot).crossOriginTerms(connection.head)
    }

    func requestID(_ number: UInt64) -> String { "\(index)-\(number)" }

    /// Says that another server has an instance's port.
    func noteAnother(_ project: ProjectName, _ port: UInt16) {
        log.warning(
            "another server has the instance's port: it refuses its password", LogField("project", project.string),
            LogField("port", port))
    }

    /// Says what went wrong between the gateway and an instance.
    func note(_ failure: UpstreamFailure, _ project: ProjectName, _ port: UInt16) {
        let project = LogField("project", project.string)
        let port = LogField("port", port)
        switch failure {
        case .refused: log.warning("the instance refuses connections", project, port)
        case .outOfDescriptors:
            log.warning("no file descriptor is left for a connection to the instance", project, port)
        case .noAnswer(let reason):
            log.warning("the instance ended a connection without an answer", project, port, LogField("reason", reason))
        case .badAnswer(let reason):
            log.warning("the instance's answer cannot be trusted", project, port, LogField("reason", reason))
        case .brokenBody(let reason):
            log.warning("the instance's answer broke off", project, port, LogField("reason", reason))
        }
    }
}
