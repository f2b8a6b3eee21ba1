import Addresses
import Foundation
import Glibc
import Homes
import Instances
import Locking
import Logging
import OpenCode
import Projects
import Systemd

@testable import Supervisors

/// A home directory in which gateways come and go, and whose OpenCode is a shell script.
final class ProcessRig: Sendable {
    let home: TemporaryHome
    let records: InstanceRecordStore
    let lines = RecordedLines()

    /// `script` runs in the project's folder below the home directory.
    init(_ script: String) throws {
        home = try TemporaryHome()
        records = InstanceRecordStore(folder: "\(home.path)/.records")
        try home.makeFolder("alpha")
        try home.makeFile(".opencode.sh", script + "\n")
    }

    /// A supervisor as a gateway has it, on a loop of its own, opened.
    func gateway(
        environment: [String: String] = ["PATH": "/usr/bin:/bin"], givesPasswords: Bool = true, opens: Bool = true,
        records other: InstanceRecordStore? = nil, projects: String? = nil
    ) async throws -> SupervisorInRig {
        let gateway = try SupervisorInRig { loop in
            ProcessSupervisor(
                loop: loop,
                setUp: ProcessSetUp(
                    command: ["/bin/sh", "\(home.path)/.opencode.sh"], environment: environment, userHome: home.path,
                    projects: projects ?? home.path, givesPasswords: givesPasswords, records: other ?? records),
                logger: Logger(sink: lines, level: .debug))
        }
        do {
            if opens { try await gateway.open() }
        } catch {
            await gateway.end()
            throw error
        }
        return gateway
    }

    var alpha: ProjectFolder {
        ProjectFolder(name: .alpha, path: "\(home.path)/alpha", hasGit: false, hasPackageJSON: false)
    }

    /// The number that a script has written to a file in the home directory.
    func number(_ file: String) throws -> Int32 {
        Int32(try home.read(file).trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
    }

    /// Whether a process runs, and does not just wait to be collected.
    static func runs(_ number: Int32) -> Bool { ProcessTable.isRunning(number) }

    /// A variable in the environment of a process.
    static func environment(of number: Int32) throws -> [String: String] {
        let content = try Data(contentsOf: URL(filePath: "/proc/\(number)/environ"))
        return Dictionary(
            content.split(separator: 0).map { String(decoding: $0, as: UTF8.self).split(separator: "=", maxSplits: 1) }
                .map { (String($0[0]), $0.count > 1 ? String($0[1]) : "") }, uniquingKeysWith: { $1 })
    }
}

/// A supervisor and who hears of it.
actor SupervisorInRig: SupervisorObserver {
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

    /// Hears of what the supervisor does without opening it.
    func observe() { supervisor?.assumeIsolated { $0.observer = self } }
    func open() async throws { try await supervisor?.open(self) }
    func endLeftovers() async throws { try await supervisor?.endLeftovers() }
    func start(_ folder: ProjectFolder) { supervisor?.start(folder) }
    func terminate() { supervisor?.terminate(.alpha) }
    func kill(_ project: ProjectName = .alpha) { supervisor?.kill(project) }
    func tail() -> [String] { supervisor?.tail(of: .alpha) ?? [] }

    nonisolated func supervised(_ project: ProjectName, _ event: SupervisedEvent) { continuation.yield(event) }
    nonisolated func supervisorChanged(unavailable reason: String?) {}

    /// The next event.
    func nextOfAll() async -> SupervisedEvent? {
        for await event in events { return event }
        return nil
    }

    /// The next event but for the end of a main process, which a server that ends at once may not have had the time for.
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

    /// The next server that is launched and announces its port.
    func ready() async -> (run: Run, port: UInt16)? {
        guard case .launched(let run) = await next(), case .announced(run.id, let address, _, nil) = await next() else {
            return nil
        }
        return (run, address.port)
    }

    /// Ends it in the middle of everything, as SIGKILL ends a gateway: it does nothing any more, and servers that run go
    /// on. Every test calls it last.
    nonisolated func end() async {
        await forget()
        loop.stop()
        for await _ in loopEnded {}
        // What still waits for events of servers that go on is never freed, and is no leak.
        Self.stopped.withLock { $0.append(loop) }
    }

    private static let stopped = Locked<[SystemEventLoop]>([])

    private func forget() { supervisor = nil }
}

extension Run {
    /// The number of its first process; one that none has where that is not known.
    var process: Int32 { processIdentifier ?? .max }
}
