// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests the gateway as a unit of a service manager. It reports its state, and uses the sockets that it receives.
@Suite(.onTestThreads) struct ServiceManagerTests {
    @Test func `the gateway notifies the service manager when it is ready and when it stops`() throws {
        let manager = try NotifySocket()
        let gateway = try GatewayUnderTest(environment: ["NOTIFY_SOCKET": manager.path])

        #expect(
            try manager.expect("READY=1") == ["READY=1", "STATUS=Listening on http://127.0.0.1:\(gateway.port)"])

        gateway.process.terminate()

        #expect(try manager.expect("STOPPING=1").contains { $0.hasPrefix("STATUS=") })
        #expect(try gateway.process.waitForExit() == .exited(0))
    }

    @Test func `the gateway sends watchdog notifications to the service manager`() throws {
        let manager = try NotifySocket()
        let gateway = try GatewayUnderTest(environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "400000"])
        var beats = 0
        while beats < 3 {
            let message = manager.next(within: .seconds(5))
            guard !message.isEmpty else { break }
            if message == ["WATCHDOG=1"] { beats += 1 }
        }

        #expect(beats == 3)

        try gateway.terminate()
    }

    @Test(
        .enabled(
            if: geteuid() == 0 && access("/usr/bin/python3", X_OK) == 0,
            "only root may stop a thread of another process, and python3 does it"),
        arguments: ["loop-1", "event-hub"])
    func `the watchdog receives no notification while a loop hangs`(thread: String) throws {
        let manager = try NotifySocket()
        let gateway = try GatewayUnderTest(environment: [
            "NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "400000", "VIBE_EVENT_HUB": "on",
        ])
        let tasks = "/proc/\(gateway.process.pid)/task"
        let id = try #require(
            try FileTree.names(in: tasks).first {
                try FileTree.contents("\(tasks)/\($0)/comm") == Array("\(thread)\n".utf8)
            })
        _ = try manager.expect("READY=1")

        #expect(manager.next(within: .seconds(5)) == ["WATCHDOG=1"])

        // The calls of ptrace(2) are PTRACE_SEIZE, PTRACE_INTERRUPT, and PTRACE_DETACH at the end of the input.
        let tracer = try TestProcess(
            "/usr/bin/python3",
            [
                "-c",
                """
                import ctypes, os, sys
                libc = ctypes.CDLL(None, use_errno=True)
                thread = int(sys.argv[1])
                assert libc.ptrace(0x4206, thread, None, None) == 0, os.strerror(ctypes.get_errno())
                assert libc.ptrace(0x4207, thread, None, None) == 0
                os.waitpid(thread, 0x40000000)
                print("stopped", flush=True)
                import signal
                signal.sigwait([signal.SIGTERM])
                """, id,
            ])
        try tracer.waitForLine(on: .output) { $0 == "stopped" }

        // Python may have taken a while to stop the thread, so several messages may wait.
        while !manager.next(within: .zero).isEmpty {}
        // One message may be in transit. No message may follow it.
        var beats = 0
        while manager.next(within: .seconds(1)) == ["WATCHDOG=1"], beats < 10 { beats += 1 }

        #expect(beats <= 1)

        // The kernel resumes the thread when its tracer has ended.
        tracer.terminate()

        #expect(manager.next(within: .seconds(5)) == ["WATCHDOG=1"])

        try gateway.terminate()
    }

    @Test(arguments: ["user", "system"]) func `the gateway's unit bounds its memory`(scope: String) throws {
        let checkout = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

        let unit = try FileTree.contents("/\(checkout)/units/\(scope)/viberemote-gateway.service")

        let lines = String(decoding: unit, as: UTF8.self).split(separator: "\n")

        #expect(lines.contains { $0.hasPrefix("MemoryMax=") })
    }

    @Test func `a client that connects during a restart waits and is served`() throws {
        let held = try SharedSocket()
        let home = try TemporaryDirectory()
        let first = try held.startGateway(home: home.path)

        #expect(try TestClient.request(port: held.port, "GET", "/health").status == 200)

        first.terminate()

        #expect(try first.waitForExit(within: .seconds(20)) == .exited(0))

        // No process accepts now: the kernel establishes the connection and queues it.
        let waiting = try TestClient.connect(port: held.port)
        try waiting.send("GET", "/health")
        let second = try held.startGateway(home: home.path)

        #expect(try ResponseReader(waiting).readAll().status == 200)

        second.terminate()

        #expect(try second.waitForExit(within: .seconds(20)) == .exited(0))
    }

    @Test func `64 connections on the service manager's socket are all served`() throws {
        let held = try SharedSocket()
        let home = try TemporaryDirectory()
        let gateway = try held.startGateway(home: home.path)
        let connections = try (0..<64).map { _ in try TestClient.connect(port: held.port) }

        for connection in connections { try connection.send("GET", "/health") }

        for connection in connections { #expect(try ResponseReader(connection).readAll().status == 200) }
        // The gateway's log names the socket that it uses.
        try gateway.waitForLine(on: .error) { $0.contains(#""listener":"systemd""#) }
    }
}
