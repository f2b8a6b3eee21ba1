// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Systemd
import Testing

@Suite struct ChildProcessTests {
    /// The output of a child, and how the child ended.
    struct Life {
        var output = ""
        var error = ""
        var status: ProcessExit?
        var identifier: Int32 = 0
    }

    /// Runs a child until it ends. Calls `react` on the loop at the first output.
    private func live(
        _ words: [String], environment: [String: String] = ["PATH": "/usr/bin:/bin"], directory: String = "/",
        atFirstOutput react: @escaping @Sendable (ChildProcess) -> Void = { _ in }
    ) async throws -> Life {
        let thread = try LoopThread()
        let actor = OnLoop(thread.loop)
        let (events, continuation) = AsyncStream.makeStream(of: ChildProcess.Event.self)
        let command = ChildCommand(words: words, environment: environment, directory: directory)
        let child = try await actor.run { loop in
            try ChildProcess(command, on: loop) { continuation.yield($0) }
        }
        var output: [UInt8] = []
        var error: [UInt8] = []
        var life = Life(identifier: child.identity.number)
        for await event in events {
            switch event {
            case .output(.standardOutput, let bytes):
                if output.isEmpty { await actor.run { _ in react(child) } }
                output += bytes
            case .output(.standardError, let bytes): error += bytes
            case .ended:
                life.status = await actor.run { _ in
                    // Kill the rest of the group while the child's number is still occupied.
                    child.signalGroup(SIGKILL)
                    return child.collect()
                }
                continuation.finish()
            }
        }
        life.output = String(decoding: output, as: UTF8.self)
        life.error = String(decoding: error, as: UTF8.self)
        await thread.stop()
        return life
    }

    @Test func `both outputs and the exit status of a child are reported`() async throws {
        let life = try await live(["sh", "-c", "echo to the one; echo to the other >&2; exit 7"])

        #expect(life.output == "to the one\n")
        #expect(life.error == "to the other\n")
        #expect(life.status == .exited(7))
    }

    @Test func `a long output arrives completely before the end of the child is reported`() async throws {
        let life = try await live(["sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x"])

        #expect(life.output.utf8.count == 300_000)
        #expect(life.status == .exited(0))
    }

    @Test func `a child has exactly the given arguments, environment and directory`() async throws {
        let life = try await live(
            ["sh", "-c", "pwd; env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= | sort; echo \"$@\"", "sh", "$HOME; *", "ü"],
            environment: ["PATH": "/usr/bin:/bin", "GREETING": "a=b c"], directory: "/usr")

        #expect(life.output == "/usr\nGREETING=a=b c\nPATH=/usr/bin:/bin\n$HOME; * ü\n")
    }

    @Test func `a child leads its own process group and session without a terminal`() async throws {
        let life = try await live(["sh", "-c", "cut -d' ' -f5,6,7 /proc/$$/stat"])

        #expect(life.output == "\(life.identifier) \(life.identifier) 0\n")
    }

    @Test func `a child inherits no descriptor and has an empty standard input`() async throws {
        let leak = Pipe()
        let life = try await live(["sh", "-c", "cat; ls /proc/$$/fd"])

        #expect(life.output == "0\n1\n2\n")

        try leak.fileHandleForWriting.close()
    }

    @Test func `no signal is blocked or ignored in a child`() async throws {
        let life = try await live(["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"])
        // glibc reserves the signals 32 and 33. No API can change them, and the program that started the tests may
        // ignore them.
        let masks = life.output.split(separator: "\n").compactMap { UInt64($0.suffix(16), radix: 16) }

        #expect(masks.map { $0 & ~0x1_8000_0000 } == [0, 0])
    }

    @Test func `a signal reaches the whole process group of a child`() async throws {
        let life = try await live(["sh", "-c", "sleep 1000 & echo ready; wait"]) { $0.signalGroup(SIGTERM) }

        #expect(life.status == .killed(signal: SIGTERM))
        #expect(life.status?.description == "signal SIGTERM")
    }

    @Test func `a grandchild that ignores SIGTERM is killed with the child's process group`() async throws {
        // The grandchild holds a named pipe open. The other end of the pipe hangs up when the last holder has ended.
        let path = FileManager.default.temporaryDirectory.appending(path: "alive-\(UUID().uuidString)").path

        #expect(mkfifo(path, 0o600) == 0)

        defer { unlink(path) }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(descriptor) }
        let life = try await live(["sh", "-c", "exec 3>\"$1\"; (trap '' TERM; exec sleep 1000) & exit 0", "sh", path])

        #expect(life.status == .exited(0))

        var wanted = pollfd(fd: descriptor, events: 0, revents: 0)

        #expect(poll(&wanted, 1, 5_000) == 1)
        #expect(wanted.revents == Int16(POLLHUP))
    }

    @Test func `a missing program is an error of the start`() async throws {
        let error = await #expect(throws: SystemdError.self) { try await live(["/nowhere/opencode"]) }

        #expect(error == SystemdError(operation: "posix_spawn", code: ENOENT, detail: "/nowhere/opencode"))
        #expect(error?.reason == "No such file or directory")
    }

    @Test func `a missing directory is an error of the start`() async throws {
        await #expect(throws: SystemdError.self) { try await live(["true"], directory: "/nowhere") }
    }
}
