// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// A server in the test's process that the gateway takes for a project's OpenCode instance.
///
/// It answers health checks and the gateway's own queries about its setup. The handler serves all other requests and
/// controls each byte of their connections.
final class FakeInstance: Sendable {
    /// Serves one request. The connection is reused for the next one unless the handler closes it or throws.
    typealias Handler = @Sendable (_ connection: TestConnection, _ head: ReceivedRequestHead) throws -> Void

    /// The version of the API, which determines the announcement and the path of the health check.
    enum Family: Sendable {
        case one(version: String = "fake")
        /// `health` returns the body of the answer for each path; nil is 404.
        case two(health: @Sendable (_ path: String) -> String? = { $0 == "/api/info" ? #"{"version":"2.fake"}"# : nil })

        /// The words of the announcement before the URL.
        var words: String {
            switch self {
            case .one: "opencode server listening on"
            case .two: "server listening on"
            }
        }

        /// Returns the body of a health answer. The inner nil means 404, the outer nil a path that is no health check.
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
    /// The answers to the gateway's own queries. A client's request for the same path has a `Via`.
    static let setup = [
        "/path": "{}", "/config": "{}", "/config/providers": #"{"providers":[{"models":{"fake":{}}}]}"#,
        "/api/config": "[]", "/api/model": #"{"data":[{}]}"#,
        "/api/experimental/migration/v1": #"{"status":"completed"}"#,
    ]

    /// The heads of all requests except the gateway's own, in the order of arrival.
    let requests: Recorded<ReceivedRequestHead>

    var port: UInt16 { server.port }

    /// Starts an instance. `wantsPassword` makes it refuse a health check without credentials, as OpenCode does.
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
