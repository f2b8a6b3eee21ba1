// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A server inside a machine that serves as a project's OpenCode. The test controls every byte of the server.
final class LabInstance: Sendable {
    private let opencode: FakeOpenCode.Server
    /// The heads of all requests except the health checks, in the order of their arrival.
    var requests: Recorded<ReceivedRequestHead> { opencode.requests }
    /// A command that prints the same announcement as OpenCode for this server, and runs until it is ended.
    let command: String

    /// Starts the server, which responds to health checks itself.
    init(in machine: LabMachine, _ handler: @escaping FakeOpenCode.Handler) throws {
        opencode = try NetworkNamespace(of: try machine.leader()).run {
            try FakeOpenCode().withoutQueries().start(handler)
        }
        command =
            "/bin/sh -c 'echo \"opencode server listening on http://127.0.0.1:\(opencode.port)\"; exec sleep infinity'"
    }
}
