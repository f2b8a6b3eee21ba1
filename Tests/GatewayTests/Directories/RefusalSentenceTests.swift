// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests the error sentence for a rejected directory.
@Suite(.onTestThreads) struct RefusalSentenceTests {
    /// For a project that is itself a worktree of another project's repository, the worktrees that it creates are
    /// rejected.
    @Test func `the rejection of a directory names the worktrees that are allowed`() throws {
        let fixture = try ProxyFixture { connection, _ in try connection.respond(200, text: "fine") }

        let answers = [
            try fixture.request("GET", "/x?directory=/etc"),
            try fixture.request("GET", "/x", headers: [("x-opencode-directory", "/etc")]),
        ]

        #expect(answers.map(\.status) == [403, 403])
        #expect(answers.allSatisfy { $0.text.contains("a worktree of a repository that is not another project's") })
    }
}
