import Foundation
import Glibc
import Homes
import Instances
import Projects
import Supervisors
import Testing

/// Nothing that a server has started survives it, wherever it has gone.
@Suite struct ProcessStopTests {
    private static let banner = "opencode server listening on http://127.0.0.1:4096"

    /// A server that first starts a helper by `command` and waits until that has settled.
    private static func server(_ command: String, then rest: String) -> String {
        "\(command) &\nwhile [ ! -s ../helper ]; do sleep 0.01; done\necho '\(banner)'\n\(rest)"
    }

    /// A rig whose helper ignores SIGTERM.
    private func rig(_ script: String) throws -> ProcessRig {
        let rig = try ProcessRig(script)
        try rig.home.makeFile(
            // Silent: a shell reports how its own children end.
            ".helper.sh",
            "exec 2>/dev/null; trap '' TERM; echo $$ >../.number; mv ../.number ../helper; while :; do sleep 1000; done\n"
        )
        return rig
    }

    /// Ways out of the process group, and of what leads to its processes.
    private static let escapes = [
        "sh ../.helper.sh",
        "setsid sh ../.helper.sh",
        "sh -c 'setsid sh ../.helper.sh & exit 0'",
        "sh -c 'env -i PATH=/usr/bin:/bin sh ../.helper.sh & exit 0'",
    ]

    /// Those that only their parents lead to.
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
        // The server goes at once, its grandchild does not: the end is not reported before `kill`.
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
