import Glibc
import TestKit

/// A server in the test's own process that the gateway takes for a project's OpenCode instance.
///
/// Health checks are answered for it, and so are the gateway's own questions about how it is set up; every other request goes
/// to the handler, which has each byte of its connection under control.
final class FakeInstance: Sendable {
    /// Serves one request. The connection is kept for the next one unless the handler closes it or throws.
    typealias Handler = @Sendable (_ connection: TestConnection, _ head: ReceivedRequestHead) throws -> Void

    let server: TestServer
    /// What it answers to the gateway's own questions. A client's request for the same path has a `Via`.
    static let setup = [
        "/config": "{}", "/config/providers": #"{"providers":[{"models":{"fake":{}}}]}"#,
        "/api/config": "[]", "/api/model": #"{"data":[{}]}"#,
        "/api/experimental/migration/v1": #"{"status":"completed"}"#,
    ]

    /// Every request's head but the gateway's own, in the order in which they came.
    let requests: Recorded<ReceivedRequestHead>

    var port: UInt16 { server.port }

    /// `wantsPassword`: a health check without credentials is refused, as OpenCode does.
    init(
        wantsPassword: Bool = false, setup: [String: String] = FakeInstance.setup, _ handler: @escaping Handler
    ) throws {
        let requests = Recorded<ReceivedRequestHead>("a request to the instance")
        self.requests = requests
        server = try TestServer { connection in
            while let head = try connection.readRequestHead(within: .seconds(60)) {
                if head.path == "/global/health" {
                    if wantsPassword, head.values(of: "Authorization").isEmpty {
                        try connection.respond(
                            401, headers: [("WWW-Authenticate", #"Basic realm="Secure Area""#)], text: "")
                        continue
                    }
                    try connection.respond(
                        200, headers: [("Content-Type", "application/json")],
                        text: #"{"healthy":true,"version":"fake"}"#)
                    continue
                }
                if let answer = setup[head.path], head.values(of: "Via").isEmpty {
                    try connection.respond(200, headers: [("Content-Type", "application/json")], text: answer)
                    continue
                }
                requests.append(head)
                try handler(connection, head)
                if connection.isClosed { return }
            }
        }
    }
}
