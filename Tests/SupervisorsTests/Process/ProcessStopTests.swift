import Foundation
import Glibc
import Homes
import Instances
import Projects
import Supervisors
import Testing

/// No descendant of a server survives it, wherever it has moved.
@Suite struct ProcessStopTests {
    private static let banner = "opencode server listening on http://127.0.0.1:4096"

    /// Returns a server that first starts a helper with `command` and waits until the helper is ready.
    private static func server(_ command: String, then rest: String) -> String {
        "\(command) &\nwhile [ ! -s ../helper ]; do sleep 0.01; done\necho '\(banner)'\n\(rest)"
    }

    /// Returns a fixture whose helper ignores SIGTERM.
    private func rig(_ script: String) throws -> ProcessRig {
        let rig = try ProcessRig(script)
        try rig.home.makeFile(
            // Without error output, because a shell reports how its own children end.
            ".helper.sh",
            "exec 2>/dev/null; trap '' TERM; echo $$ >../.number; mv ../.number ../helper; while :; do sleep 1000; done\n"
        )
        return rig
    }

    /// Ways to leave the process group and the other ways to find a process.
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
    func aStopEndsWhatIgnoresSIGTERM(command: String) async throws {
        let rig = try rig(Self.server(command, then: "exec sleep 1000"))
        let gateway = try await rig.gateway()
        let run = try #require(await gateway.launch(rig.alpha))
        let grandchild = try rig.number("helper")
        #expect(ProcessRig.runs(grandchild))
        await gateway.terminate()
        // The server ends immediately, but its grandchild does not: the end is not reported before `kill`.
        while ProcessRig.runs(run.process) { await Task.yield() }
        #expect(ProcessRig.runs(grandchild))
        await gateway.kill()
        #expect(
            await gateway.next()
                == .exited(
                    run: run.id, how: "signal SIGTERM", tail: [Self.banner],
                    next: .stopped))
        #expect(!ProcessRig.runs(grandchild))
        await gateway.end()
    }

    @Test(arguments: escapes)
    func whatAServerLeavesThatEndsByItselfGoesAtOnce(command: String) async throws {
        let rig = try rig(Self.server(command, then: "exit 3"))
        let gateway = try await rig.gateway()
        let run = try #require(await gateway.launch(rig.alpha))
        #expect(
            await gateway.next()
                == .exited(
                    run: run.id, how: "exit status 3", tail: [Self.banner],
                    next: .failed))
        #expect(!ProcessRig.runs(try rig.number("helper")))
        #expect(await gateway.tail() == [Self.banner])
        await gateway.end()
    }

    @Test func whatEndsAtSIGTERMIsGivenTheTimeForIt() async throws {
        let rig = try ProcessRig(Self.server("setsid sh ../.helper.sh", then: "exec sleep 1000"))
        try rig.home.makeFile(
            ".helper.sh",
            """
            exec 2>/dev/null
            trap 'sleep 0.3; echo done >../farewell; exit' TERM
            echo $$ >../.number; mv ../.number ../helper
            while :; do sleep 0.01; done
            """)
        let gateway = try await rig.gateway()
        let run = try #require(await gateway.launch(rig.alpha))
        await gateway.terminate()
        #expect(
            await gateway.next()
                == .exited(
                    run: run.id, how: "signal SIGTERM", tail: [Self.banner],
                    next: .stopped))
        #expect(try rig.home.read("farewell") == "done\n")
        await gateway.end()
    }

    @Test func aStopTouchesNoOtherProjectsServer() async throws {
        let rig = try ProcessRig("echo 'opencode server listening on http://127.0.0.1:4096'; exec sleep 1000")
        try rig.home.makeFolder("beta")
        let gateway = try await rig.gateway()
        let alpha = try #require(await gateway.launch(rig.alpha))
        let beta = try #require(
            await gateway.launch(
                ProjectFolder(name: .beta, path: "\(rig.home.path)/beta", hasGit: false, hasPackageJSON: false)))
        await gateway.kill()
        guard case .exited(alpha.id, _, _, _) = await gateway.next() else {
            Issue.record("it did not end")
            return
        }
        #expect(ProcessRig.runs(beta.process))
        await gateway.kill(.beta)
        guard case .exited(beta.id, _, _, _) = await gateway.next() else {
            Issue.record("it did not end")
            return
        }
        await gateway.end()
    }
}
