// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestThreads
import Testing

@testable import TestKit

@Suite("A program's output, exit and resource use", .onTestThreads)
struct ProcessTests {
    @Test func `the lines of both outputs and the exit status are captured`() throws {
        let process = try TestProcess("/bin/sh", ["-c", "echo one; echo two >&2; printf three; exit 7"])

        #expect(try process.waitForExit() == .exited(7))
        #expect(process.lines(of: .output).first == "one")
        #expect(process.lines(of: .error) == ["two"])
        #expect(try process.waitForLine(on: .output) { $0 == "three" } == "three")
    }

    @Test func `the signal that ended a process is reported`() throws {
        let process = try TestProcess("/bin/sh", ["-c", "echo ready; exec tail -f /dev/null"])
        try process.waitForLine { $0 == "ready" }

        #expect(process.exitStatus == nil)

        process.terminate()

        #expect(try process.waitForExit() == .signalled(SIGTERM))

        process.terminate()
    }

    @Test func `waiting for a line fails once the process has ended`() throws {
        let process = try TestProcess("/bin/sh", ["-c", "echo broken >&2; exit 3"])

        #expect {
            try process.waitForLine(within: .seconds(60)) { $0 == "ready" }
        } throws: { error in
            "\(error)".contains("exited(3)") && "\(error)".contains("error: broken")
        }
    }

    @Test func `a process has only the given environment and runs in the given directory`() throws {
        let folder = try TemporaryDirectory()
        let process = try TestProcess(
            "/bin/sh", ["-c", "pwd; echo \"$GREETING\"; env | grep -c ^SECRET_OF_THE_RUNNER"],
            environment: ["GREETING": "hello there"], directory: folder.path)
        try process.waitForExit()

        #expect(process.lines(of: .output) == [folder.path, "hello there", "0"])
    }

    @Test func `a process inherits no descriptor`() throws {
        let server = try TestServer { _ in }
        let process = try TestProcess("/bin/ls", ["/proc/self/fd"])
        try process.waitForExit()

        // The fourth descriptor is the directory that ls reads.
        #expect(process.lines(of: .output) == ["0", "1", "2", "3"])

        server.stop()
    }

    @Test func `the exit is reported while a grandchild holds the output open`() throws {
        let process = try TestProcess("/bin/sh", ["-c", "tail -f /dev/null & echo $!"])

        #expect(try process.waitForExit() == .exited(0))

        let grandchild = try #require(Int32(process.lines(of: .output).first ?? ""))

        #expect(ProcessMeasures.isAlive(grandchild))
    }

    @Test func `a last line without a newline is captured while a grandchild holds the output open`() throws {
        let process = try TestProcess("/bin/sh", ["-c", "tail -f /dev/null & printf last; exit 7"])

        #expect(try process.waitForExit() == .exited(7))
        #expect(process.lines(of: .output) == ["last"])
    }

    @Test func `a process that is out of scope is killed with its whole group`() throws {
        let pids = Recorded<Int32>()
        do {
            let process = try TestProcess("/bin/sh", ["-c", "tail -f /dev/null & echo $!; wait"])
            pids.append(process.pid)
            pids.append(try #require(Int32(try process.waitForLine { !$0.isEmpty })))
        }

        for pid in pids.values {
            // The signal was sent. The process has ended when /proc has no live entry for it.
            let deadline = Deadline(after: .seconds(60))
            while ProcessMeasures.isAlive(pid), !deadline.hasPassed { sched_yield() }
            #expect(!ProcessMeasures.isAlive(pid))
        }
    }

    @Test func `the memory, processor time and open descriptors of a process are measured`() throws {
        // The shell must remain, because a process that is executing another program has hardly any memory.
        let process = try TestProcess(
            "/bin/sh",
            ["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done; tail -f /dev/null & wait"])
        try process.waitForLine { $0 == "done" }

        #expect(try process.residentMemory() > 100_000)
        #expect(try process.processorTime() >= .milliseconds(10))
        #expect(try process.openDescriptors() >= 3)
    }

    @Test func `starting or locating a missing program is an error`() {
        #expect(throws: TestKitError.self) { try TestProcess("/nonexistent/program") }
        #expect(throws: TestKitError.self) { try BuiltProducts.path("no-such-program") }
    }

    /// A child of another thread holds the written file open until it executes its program.
    @Test func `writing a program waits until the program can be executed`() throws {
        let folder = try TemporaryDirectory()
        let script = try folder.write("#!/bin/sh\n", to: "script", mode: 0o755)
        let writer = open(script, O_WRONLY | O_CLOEXEC)
        let isWritten = Latch("the script")
        let thread = try TestThread {
            guard (try? folder.write("#!/bin/sh\nexit 7\n", to: "script", mode: 0o755)) != nil else { return }
            isWritten.open()
        }

        #expect(!isWritten.isOpened(within: .milliseconds(100)))

        close(writer)
        try isWritten.wait()
        thread.join()

        #expect(try TestProcess(script).waitForExit() == .exited(7))
    }

    @Test func `a temporary directory is removed with its content`() throws {
        var folder: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(folder?.path)
        let file = try #require(try folder?.write("content", to: "a/b/file", mode: 0o755))

        #expect(try FileTree.contents(file) == Array("content".utf8))

        folder = nil

        #expect(access(path, F_OK) != 0)
    }
}
