// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A server inside a machine that acts as a project's OpenCode, with every byte under the test's control.
final class LabInstance: Sendable {
    /// Serves one request. The connection is kept for the next one unless the handler closes it or throws.
    typealias Handler = @Sendable (_ connection: TestConnection, _ head: ReceivedRequestHead) throws -> Void

    private let server: TestServer
    /// The heads of all requests except the health checks, in the order of their arrival.
    let requests: Recorded<ReceivedRequestHead>
    /// A command that announces this server as OpenCode would, and runs until it is ended.
    let command: String

    /// Starts the server. It answers health checks itself.
    init(in machine: LabMachine, _ handler: @escaping Handler) throws {
        let requests = Recorded<ReceivedRequestHead>("a request to the instance")
        self.requests = requests
        server = try NetworkNamespace(of: try machine.leader()).run {
            try TestServer { connection in
                while let head = try connection.readRequestHead(within: .seconds(60)) {
                    if head.path == "/global/health" {
                        try connection.respond(
                            200, headers: [("Content-Type", "application/json")],
                            text: #"{"healthy":true,"version":"fake"}"#)
                        continue
                    }
                    requests.append(head)
                    try handler(connection, head)
                    if connection.isClosed { return }
                }
            }
        }
        command =
            "/bin/sh -c 'echo \"opencode server listening on http://127.0.0.1:\(server.port)\"; exec sleep infinity'"
    }
}
