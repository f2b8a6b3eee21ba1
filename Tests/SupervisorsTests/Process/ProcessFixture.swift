// SPDX-License-Identifier: Apache-2.0

import Addresses
import Foundation
import Glibc
import Instances
import Locking
import Logging
import OpenCodeFamilies
import Projects
import Systemd
import TemporaryHomes

@testable import Supervisors

/// A home directory for several gateways in succession. Their OpenCode is a shell script.
final class ProcessFixture: Sendable {
    let home: TemporaryHome
    let records: InstanceRecordStore
    let lines = RecordedLines()

    /// Creates a fixture with a project whose folder is in the home directory. `script` runs in this folder.
    init(_ script: String) throws {
        home = try TemporaryHome()
        records = InstanceRecordStore(folder: "\(home.path)/.records")
        try home.makeFolder("alpha")
        try home.makeFile(".opencode.sh", script + "\n")
    }

    /// Returns a supervisor like the supervisor of a gateway, opened on a separate loop.
    func gateway(
        environment: [String: String] = ["PATH": "/usr/bin:/bin"], givesPasswords: Bool = true, data: String? = nil,
        opens: Bool = true,
        records other: InstanceRecordStore? = nil, projects: String? = nil
    ) async throws -> SupervisorInFixture {
        let gateway = try SupervisorInFixture { loop in
            ProcessSupervisor(
                loop: loop,
                setUp: ProcessSetUp(
                    command: ["/bin/sh", "\(home.path)/.opencode.sh"], environment: environment, userHome: home.path,
                    projects: projects ?? home.path, data: data, setsPasswords: givesPasswords,
                    records: other ?? records),
                logger: Logger(sink: lines, level: .debug))
        }
        do {
            if opens { try await gateway.open() }
        } catch {
            await gateway.tearDown()
            throw error
        }
        return gateway
    }

    var alpha: ProjectFolder {
        ProjectFolder(name: .alpha, path: "\(home.path)/alpha", hasGit: false, hasPackageJSON: false)
    }

    /// Returns the number that a script has written to a file in the home directory.
    func number(_ file: String) throws -> Int32 {
        Int32(try home.readFile(file).trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
    }

    /// Returns whether a process runs, as opposed to a process that has ended but was not reaped.
    static func runs(_ number: Int32) -> Bool { ProcessTable.isRunning(number) }

    /// Returns the environment of a process.
    static func environment(of number: Int32) throws -> [String: String] {
        let content = try Data(contentsOf: URL(filePath: "/proc/\(number)/environ"))
        return Dictionary(
            content.split(separator: 0).map { String(decoding: $0, as: UTF8.self).split(separator: "=", maxSplits: 1) }
                .map { (String($0[0]), $0.count > 1 ? String($0[1]) : "") }, uniquingKeysWith: { $1 })
    }
}

/// A supervisor and its observer.
actor SupervisorInFixture: SupervisorObserver {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let loop: SystemEventLoop
    private let loopEnded: AsyncStream<Void>
    private var supervisor: ProcessSupervisor?
    private let events: AsyncStream<SupervisedEvent>
    private let continuation: AsyncStream<SupervisedEvent>.Continuation

    init(_ make: (SystemEventLoop) -> ProcessSupervisor) throws {
        let loop = try SystemEventLoop()
        let (loopEnded, endLoop) = AsyncStream.makeStream(of: Void.self)
        (events, continuation) = AsyncStream.makeStream()
        self.loop = loop
        self.loopEnded = loopEnded
        supervisor = make(loop)
        Thread {
            try? loop.run()
            endLoop.finish()
        }.start()
    }

    /// Observes the supervisor without opening it.
    func observe() { supervisor?.assumeIsolated { $0.observer = self } }
    func open() async throws { try await supervisor?.open(self) }
    func endLeftovers() async throws { try await supervisor?.endLeftovers() }
    func start(_ folder: ProjectFolder) { supervisor?.start(folder) }
    func terminate() { supervisor?.terminate(.alpha) }
    func kill(_ project: ProjectName = .alpha) { supervisor?.kill(project) }
    func tail() -> [String] { supervisor?.tail(of: .alpha) ?? [] }

    nonisolated func supervised(_ project: ProjectName, _ event: SupervisedEvent) { continuation.yield(event) }
    nonisolated func supervisorChanged(unavailable reason: String?) {}

    /// Returns the next event of any kind.
    func nextOfAll() async -> SupervisedEvent? {
        for await event in events { return event }
        return nil
    }

    /// Returns the next event, except ends of main processes, which are not always reported for a server that ends
    /// immediately.
    func next() async -> SupervisedEvent? {
        while let event = await nextOfAll() {
            if case .mainProcessExited = event { continue }
            return event
        }
        return nil
    }

    /// Starts a server and waits for its announcement.
    func launch(_ folder: ProjectFolder) async -> Run? {
        start(folder)
        return await ready()?.run
    }

    /// Waits for a server that is launched and announces its port, and returns its run and its port.
    func ready() async -> (run: Run, port: UInt16)? {
        guard case .launched(let run) = await next(), case .announced(run.id, let address, _, nil) = await next() else {
            return nil
        }
        return (run, address.port)
    }

    /// Ends the supervisor abruptly, as SIGKILL ends a gateway: it performs no further action, and running servers
    /// continue. Every test calls this method last.
    nonisolated func tearDown() async {
        await forget()
        loop.stop()
        for await _ in loopEnded {}
        // Tasks that wait for events of running servers are never released. Keep references to them, so that they do
        // not count as leaks.
        Self.stopped.withLock { $0.append(loop) }
    }

    private static let stopped = Locked<[SystemEventLoop]>([])

    private func forget() { supervisor = nil }
}

extension Run {
    /// The process number of the run's first process, or an impossible number if it is unknown.
    var process: Int32 { processIdentifier ?? .max }
}
