// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestKit
import TestThreads
import Testing

/// Tests that events stay in memory when the disk is full, and are written once it has room. The disk is a small file
/// system in memory that only the gateway sees (mount_namespaces(7)).
@Suite(.onTestThreads, .enabled(if: geteuid() == 0, "mounting takes root"))
struct FullDiskTests {
    private static let sentence = "Events are kept in memory only, because "
    private static let back = "events are kept on the disk again"

    @Test(.timeLimit(.minutes(5)))
    func `events that arrive while the disk is full are written once it has room and survive a restart`() throws {
        let tools = try TemporaryDirectory()
        let opencode = try GatewayUnderTest.outlivingCommand(in: tools)
        let disk = try TemporaryDirectory()
        let mount = "mount -t tmpfs -o size=24m,mode=0700 none '\(disk.path)' && echo mounted && exec sleep 1000"
        let holder = try TestProcess("/usr/bin/unshare", ["-m", "sh", "-c", mount])
        try holder.waitForLine(on: .output) { $0 == "mounted" }
        let launcher = ["/usr/bin/nsenter", "-m", "-t", "\(holder.pid)"]
        let flags = ["--state-dir", "\(disk.path)/state"]
        // The path of the disk in the gateway's namespace (proc_pid_root(5)).
        let ballast = "/proc/\(holder.pid)/root\(disk.path)/ballast"
        let fixture = try HubFixture(flags: flags, opencode: opencode, launcher: launcher)
        fixture.sendEvents(1...3)
        try fixture.waitUntilReceived(3)
        let first = try fixture.openGatewayStream("?since=2000-01-01T00:00:00Z")

        #expect(try first.numbers(3) == [1, 2, 3])

        try Self.fill(ballast)

        // These events exceed the room in the first file.
        fixture.sendEvents(4...400, more: #","text":"\#(String(repeating: "x", count: 2_000))""#)

        #expect(try first.numbers(397) == Array(4...400))

        try fixture.gateway.waitForLog(Self.sentence)

        #expect(try fixture.gateway.request("GET", "/projects/demo/status").text.contains(Self.sentence))
        #expect(unlink(ballast) == 0)

        // No event arrives in the meantime.
        try fixture.gateway.waitForLog(Self.back)

        #expect(try !fixture.gateway.request("GET", "/projects/demo/status").text.contains(Self.sentence))

        fixture.sendEvents(401...401)

        #expect(try first.numbers(1) == [401])

        first.close()

        #expect(try fixture.gateway.terminate() == .exited(0))

        let next = try GatewayUnderTest(
            flags: flags, environment: ["VIBE_EVENT_HUB": "on"], opencode: opencode, after: fixture.gateway,
            launcher: launcher)
        let again = try StreamClient(next, "/projects/demo/events?since=2000-01-01T00:00:00Z")

        #expect(try again.numbers(401) == Array(1...401))

        again.close()
        try next.terminate()
        holder.terminate()
        try holder.waitForExit()
    }

    /// Fills the disk to its last page.
    private static func fill(_ path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        let block = [UInt8](repeating: 1, count: 1 << 16)
        while write(file, block, block.count) > 0 {}
        #expect(errno == ENOSPC)
    }
}
