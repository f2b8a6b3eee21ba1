import Glibc
import TestKit

/// A server in the test's own process that the gateway takes for a project's OpenCode instance.
///
/// Health checks are answered for it, and so are the gateway's own questions about how it is set up; every other request goes
/// to the handler, which has each byte of its connection under control.
final class FakeInstance: Sendable {
    /// Serves one request. The connection is kept for the next one unless the handler closes it or throws.
    typealias Handler = @Sendable (_ connection: TestConnection, _ head: ReceivedRequestHead) throws -> Void

    /// Whose API it speaks: what it announces, and where it tells whether it is ready.
    enum Family: Sendable {
        case one(version: String = "fake")
        /// `health` answers for each path what it does; nil is 404.
        case two(health: @Sendable (_ path: String) -> String? = { $0 == "/api/info" ? #"{"version":"2.fake"}"# : nil })

        /// The words before its URL.
        var words: String {
            switch self {
            case .one: "opencode server listening on"
            case .two: "server listening on"
            }
        }

        /// The body of a health answer: nil within for 404, nil for a path that is none of the health check's.
        fileprivate func health(_ path: String) -> String?? {
            switch self {
            case .one(let version):
                path == "/global/health" ? #"{"healthy":true,"version":"\#(version)"}"# : nil
            case .two(let health): ["/api/info", "/api/health"].contains(path) ? .some(health(path)) : nil
            }
        }
    }

    let server: TestServer
    let family: Family
    /// What it answers to the gateway's own questions. A client's request for the same path has a `Via`.
    static let setup = [
        "/path": "{}", "/config": "{}", "/config/providers": #"{"providers":[{"models":{"fake":{}}}]}"#,
        "/api/config": "[]", "/api/model": #"{"data":[{}]}"#,
        "/api/experimental/migration/v1": #"{"status":"completed"}"#,
    ]

    /// Every request's head but the gateway's own, in the order in which they came.
    let requests: Recorded<ReceivedRequestHead>

    var port: UInt16 { server.port }

    /// `wantsPassword`: a health check without credentials is refused, as OpenCode does.
    init(
        _ family: Family = .one(), wantsPassword: Bool = false, setup: [String: String] = FakeInstance.setup,
        _ handler: @escaping Handler
    ) throws {
        let requests = Recorded<ReceivedRequestHead>("a request to the instance")
        self.requests = requests
        self.family = family
        server = try TestServer { connection in
            while let head = try connection.readRequestHead(within: .seconds(60)) {
                if let health = family.health(head.path) {
                    if wantsPassword, head.values(of: "Authorization").isEmpty {
                        try connection.respond(
                            401, headers: [("WWW-Authenticate", #"Basic realm="Secure Area""#)], text: "")
                        continue
                    }
                    try connection.respond(
                        health == nil ? 404 : 200, headers: [("Content-Type", "application/json")], text: health ?? "")
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
