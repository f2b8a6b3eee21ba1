// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Instances
import Projects
import Supervisors
import TemporaryHomes
import Testing

/// Tests that no descendant of a server survives the server, even if the descendant has moved to another group or
/// session.
@Suite struct ProcessStopTests {
    private static let banner = "opencode server listening on http://127.0.0.1:4096"

    /// Returns the script of a server that first starts a helper with `command`, and waits until the helper is ready.
    private static func server(_ command: String, then remainder: String) -> String {
        "\(command) &\nwhile [ ! -s ../helper ]; do sleep 0.01; done\necho '\(banner)'\n\(remainder)"
    }

    /// Returns a fixture whose helper ignores SIGTERM.
    private func fixture(_ script: String) throws -> ProcessFixture {
        let fixture = try ProcessFixture(script)
        try fixture.home.makeFile(
            // Discard the error output, because a shell reports how its own children end.
            ".helper.sh",
            "exec 2>/dev/null; trap '' TERM; echo $$ >../.number; mv ../.number ../helper; while :; do sleep 1000; done\n"
        )
        return fixture
    }

    /// Ways to leave the process group and to evade the other searches for a process.
    private static let escapes = [
        "sh ../.helper.sh",
        "setsid sh ../.helper.sh",
        "sh -c 'setsid sh ../.helper.sh & exit 0'",
        "sh -c 'env -i PATH=/usr/bin:/bin sh ../.helper.sh & exit 0'",
    ]

    /// Processes that can be found only through their parents.
    private static let furtherEscapes = [
        "env -i PATH=/usr/bin:/bin setsid sh ../.helper.sh",
        "sh -c 'env -i PATH=/usr/bin:/bin setsid sh ../.helper.sh; exit 0'",
    ]

    @Test(arguments: escapes + furtherEscapes)
    func `a kill after SIGTERM ends each descendant that ignores SIGTERM`(command: String) async throws {
        let fixture = try fixture(Self.server(command, then: "exec sleep 1000"))
        let gateway = try await fixture.gateway()
        let run = try #require(await gateway.launch(fixture.alpha))
        let grandchild = try fixture.number("helper")

        #expect(ProcessFixture.runs(grandchild))

        await gateway.terminate()
        // The server ends immediately, but its grandchild does not. Therefore the end is not reported before `kill`.
        while ProcessFixture.runs(run.process) { await Task.yield() }

        #expect(ProcessFixture.runs(grandchild))

        await gateway.kill()

        #expect(
            await gateway.next()
                == .exited(
                    run: run.id, how: "signal SIGTERM", tail: [Self.banner],
                    next: .stopped))
        #expect(!ProcessFixture.runs(grandchild))

        await gateway.tearDown()
    }

    @Test(arguments: escapes)
    func `descendants of a server that ends by itself are ended before its end is reported`(command: String)
        async throws
    {
        let fixture = try fixture(Self.server(command, then: "exit 3"))
        let gateway = try await fixture.gateway()
        let run = try #require(await gateway.launch(fixture.alpha))

        #expect(
            await gateway.next()
                == .exited(
                    run: run.id, how: "exit status 3", tail: [Self.banner],
                    next: .failed))
        #expect(!ProcessFixture.runs(try fixture.number("helper")))
        #expect(await gateway.tail() == [Self.banner])

        await gateway.tearDown()
    }

    @Test func `a descendant that handles SIGTERM can finish before the end is reported`() async throws {
        let fixture = try ProcessFixture(Self.server("setsid sh ../.helper.sh", then: "exec sleep 1000"))
        try fixture.home.makeFile(
            ".helper.sh",
            """
            exec 2>/dev/null
            trap 'sleep 0.3; echo done >../farewell; exit' TERM
            echo $$ >../.number; mv ../.number ../helper
            while :; do sleep 0.01; done
            """)
        let gateway = try await fixture.gateway()
        let run = try #require(await gateway.launch(fixture.alpha))
        await gateway.terminate()

        #expect(
            await gateway.next()
                == .exited(
                    run: run.id, how: "signal SIGTERM", tail: [Self.banner],
                    next: .stopped))
        #expect(try fixture.home.readFile("farewell") == "done\n")

        await gateway.tearDown()
    }

    @Test func `a stop does not affect another project's server`() async throws {
        let fixture = try ProcessFixture("echo 'opencode server listening on http://127.0.0.1:4096'; exec sleep 1000")
        try fixture.home.makeFolder("beta")
        let gateway = try await fixture.gateway()
        let alpha = try #require(await gateway.launch(fixture.alpha))
        let beta = try #require(
            await gateway.launch(
                ProjectFolder(name: .beta, path: "\(fixture.home.path)/beta", hasGit: false, hasPackageJSON: false)))
        await gateway.kill()
        guard case .exited(alpha.id, _, _, _) = await gateway.next() else {
            Issue.record("it did not end")
            return
        }

        #expect(ProcessFixture.runs(beta.process))

        await gateway.kill(.beta)
        guard case .exited(beta.id, _, _, _) = await gateway.next() else {
            Issue.record("it did not end")
            return
        }
        await gateway.tearDown()
    }
}
