// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Instances
import Locking
import Logging
import OpenCodeFamilies
import Projects
import Supervisors
import Systemd
import TemporaryHomes

/// A registry on a separate loop. Its OpenCode is a shell script.
final class RegistryFixture: Sendable {
    /// A server that announces a port and ends at SIGTERM.
    static let wellBehaved = """
        echo "Warning: something first"
        echo "opencode server listening on http://127.0.0.1:4096"
        exec sleep 1000
        """

    let home: TemporaryHome
    let registry: InstanceRegistry
    let lines = RecordedLines()
    private let loop: SystemEventLoop
    private let ended: AsyncStream<Void>
    private let tables: AsyncStream<RoutingTable>

    init(
        script: String = wellBehaved, projects: [String] = ["alpha"], limits: InstanceLimits = InstanceLimits(),
        command: [String]? = nil, environment: [String: String] = ["PATH": "/usr/bin:/bin"],
        probe: @escaping @Sendable (HealthQuery) async -> HealthFinding = { _ in
            .healthy(version: "1.18.33", enforcesPassword: true)
        }, progress: @escaping @Sendable (Int) async -> UInt64 = { _ in 0 }
    ) async throws {
        let home = try TemporaryHome()
        for project in projects { try home.makeFolder(project) }
        try home.makeFile(".opencode.sh", script + "\n")
        let loop = try SystemEventLoop()
        let logger = Logger(sink: lines, level: .debug)
        let (tables, published) = AsyncStream.makeStream(of: RoutingTable.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        registry = InstanceRegistry(
            loop: loop, catalogue: ProjectCatalogue(loop: loop, home: home.path, followsLinks: false, logger: logger),
            // Run the script through the shell, because a file that was just written may not be executable while
            // another test forks.
            supervisors: [
                ProcessSupervisor(
                    loop: loop,
                    setUp: ProcessSetUp(
                        command: command ?? ["/bin/sh", "\(home.path)/.opencode.sh"], environment: environment,
                        userHome: home.path, projects: home.path, setsPasswords: true,
                        records: InstanceRecordStore(folder: "\(home.path)/.records")),
                    logger: logger)
            ],
            limits: limits, logger: logger,
            links: InstanceRegistry.Links(probe: probe, progress: progress, publish: { published.yield($0) }))
        self.home = home
        self.loop = loop
        self.tables = tables
        self.ended = ended
        Thread {
            try? loop.run()
            end.finish()
        }.start()
        try await registry.open()
    }

    /// Ends all children and the loop. Every test calls this method last.
    func tearDown() async {
        await registry.shutdown()
        loop.stop()
        for await _ in ended {}
    }

    /// Returns the first matching table, beginning with the table that was requested last.
    func table(where isWanted: (RoutingTable) -> Bool) async -> RoutingTable? {
        for await table in tables where isWanted(table) { return table }
        return nil
    }

    /// Creates a named pipe in the home directory. The pipe hangs up when the last process that has it open for writing
    /// has ended.
    func makeLifeline(_ name: String) -> Int32 {
        let path = "\(home.path)/\(name)"
        guard mkfifo(path, 0o600) == 0 else { return -1 }
        return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    }

    /// Returns whether the last writer of a lifeline ends within 30 s.
    static func hangsUp(_ lifeline: Int32) -> Bool {
        var wanted = pollfd(fd: lifeline, events: 0, revents: 0)
        return poll(&wanted, 1, 30_000) == 1 && wanted.revents == Int16(POLLHUP)
    }

    /// Returns whether a process holds a lifeline now.
    static func isHeld(_ lifeline: Int32) -> Bool {
        var byte: UInt8 = 0
        return read(lifeline, &byte, 1) < 0 && errno == EAGAIN
    }
}

extension InstanceLimits {
    /// Returns the default limits with this start timeout and a short stop timeout.
    static func starting(within start: Duration) -> InstanceLimits {
        var limits = stopping(within: .milliseconds(100))
        limits.start = start
        return limits
    }

    /// Returns the default limits with this stop timeout.
    static func stopping(within stop: Duration) -> InstanceLimits {
        var limits = InstanceLimits()
        limits.stop = stop
        return limits
    }
}
