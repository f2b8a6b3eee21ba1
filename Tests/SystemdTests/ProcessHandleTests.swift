// SPDX-License-Identifier: Apache-2.0

import Glibc
import Systemd
import TestKit
import Testing

@Suite struct ProcessHandleTests {
    private func sleeper() throws -> TestProcess { try TestProcess("/bin/sleep", ["1000"]) }

    @Test func `a signal through a handle reaches the process, and the end of the process is reported`() async throws {
        let thread = try LoopThread()
        let actor = OnLoop(thread.loop)
        let child = try sleeper()
        let identity = try #require(ProcessTable.status(of: child.pid)?.identity)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        try await actor.retain { loop in
            let handle = try #require(ProcessHandle(identity, on: loop))
            try handle.watchEnd { end.finish() }
            #expect(handle.signal(SIGTERM))
            return handle
        }
        for await _ in ended {}

        #expect(try child.waitForExit() == .signalled(SIGTERM))

        await actor.dropAll()
        await thread.stop()
    }

    @Test func `a process that has ended has no handle`() async throws {
        let thread = try LoopThread()
        let child = try sleeper()
        let identity = try #require(ProcessTable.status(of: child.pid)?.identity)
        child.terminate()
        try child.waitForExit()

        #expect(await OnLoop(thread.loop).run { ProcessHandle(identity, on: $0) == nil })

        await thread.stop()
    }

    @Test func `a process with the same number and another start time has no handle`() async throws {
        let thread = try LoopThread()
        let own = try #require(ProcessTable.status(of: getpid())?.identity)
        let earlier = ProcessIdentity(number: own.number, startTime: own.startTime - 1)

        #expect(await OnLoop(thread.loop).run { ProcessHandle(earlier, on: $0) == nil })

        await thread.stop()
    }
}
