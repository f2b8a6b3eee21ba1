// SPDX-License-Identifier: Apache-2.0

package import HTTPClient
package import HTTPServer
import HTTPTypes
import Logging
package import Projects

/// The gateway's own responses to clients, and its log messages about them.
extension GatewayLoop {
    /// Responds with an error, in the format of the client's protocol.
    package func refuse(_ connection: ClientConnection, _ error: GatewayError) {
        recordRefusal(error, of: connection)
        answer(connection, rendered(error, connection))
    }

    /// Returns the response that refuses a request before its body has arrived.
    func refused(_ error: GatewayError, _ connection: ClientConnection) -> GatewayAnswer {
        recordRefusal(error, of: connection)
        return completed(rendered(error, connection), connection)
    }

    /// Returns the response for an error in the format of the client's protocol.
    func rendered(_ error: GatewayError, _ connection: ClientConnection) -> GatewayAnswer {
        errorRenderer(for: connection.head.target[...])?.render(error) ?? GatewayAnswer(error)
    }

    /// Sends one of the gateway's own responses.
    package func answer(_ connection: ClientConnection, _ answer: GatewayAnswer) {
        connection.respond(completed(answer, connection))
    }

    /// Responds with a page, or with 304 if the client already has the page.
    func answer(_ connection: ClientConnection, _ page: StaticPage) {
        // If the request's body is still arriving, send the whole page. A 304 would require reading the body first.
        guard page.isKnown(to: connection.head.fields), connection.isBodyComplete else {
            return answer(connection, page.whole)
        }
        let answer = completed(GatewayAnswer(head: page.unchanged, body: []), connection)
        connection.startResponse(answer.head, .none(announced: UInt64(page.whole.body.count)))
    }

    /// Returns the response with the fields that all of the gateway's own responses have. An error contains the
    /// request's id, so that a user can find the log line. If an origin is allowed, every response contains the
    /// cross-origin fields for browsers.
    package func completed(_ answer: GatewayAnswer, _ connection: ClientConnection) -> GatewayAnswer {
        let isError = answer.head.status >= 400
        guard isError || !connection.request.pinPolicy(of: snapshot).origins.isEmpty else { return answer }
        var answer = answer
        if isError { answer.head.fields.append("X-Request-Id", requestID(connection.number)) }
        if let terms = crossOriginTerms(connection) { answer.head.fields.append(contentsOf: terms.fields) }
        return answer
    }

    /// Returns the error format for a request target; nil for the gateway's own format.
    func errorRenderer(for target: ArraySlice<UInt8>) -> ErrorRenderer? {
        setUp.errorRenderers.first { $0.applies(target) }
    }

    /// Returns the cross-origin terms of the response to the connection's request.
    package func crossOriginTerms(_ connection: ClientConnection) -> CrossOriginTerms? {
        connection.request.pinPolicy(of: snapshot).crossOriginTerms(connection.head)
    }

    func requestID(_ number: UInt64) -> String { "\(index)-\(number)" }

    /// Logs that another server uses an instance's port.
    package func logForeignServer(_ project: ProjectName, _ port: UInt16) {
        log.warning(
            "another server uses the instance's port", LogField("project", project.string),
            LogField("port", port))
    }

    /// Logs a failure between the gateway and an instance.
    package func logFailure(_ failure: UpstreamFailure, of project: ProjectName, port: UInt16) {
        let project = LogField("project", project.string)
        let port = LogField("port", port)
        switch failure {
        case .refused: log.warning("the instance refuses connections", project, port)
        case .outOfDescriptors:
            log.warning("no file descriptor is left for a connection to the instance", project, port)
        case .noAnswer(let reason):
            log.warning("the instance ended a connection without a response", project, port, LogField("reason", reason))
        case .badAnswer(let reason):
            log.warning("the instance's response is invalid", project, port, LogField("reason", reason))
        case .brokenBody(let reason):
            log.warning("the instance's response ended early", project, port, LogField("reason", reason))
        }
    }
}
