import Glibc

/// A program run by a test: its output line by line, its end, what it consumes. Killed when it goes out of scope.
package final class TestProcess: Sendable {
    /// Where a line of output came from.
    package enum Stream: Sendable, Equatable {
        /// Standard output.
        case output
        /// Standard error.
        case error
    }

    /// One line of output, without its line feed.
    package struct Line: Sendable, Equatable {
        /// Where it came from.
        package let stream: Stream
        /// The line as UTF-8.
        package let text: String

        /// A line, to compare with.
        package init(stream: Stream, text: String) {
            self.stream = stream
            self.text = text
        }
    }

    /// How a process ended.
    package enum ExitStatus: Sendable, Equatable {
        /// It exited with that code.
        case exited(Int32)
        /// A signal ended it.
        case signalled(Int32)
    }

    /// The process id.
    package let pid: Int32
    /// Every line of both streams in the order in which they were read.
    package let output = Recorded<Line>("a line of output")
    private let status = Monitor<ExitStatus?>(nil)
    private let ownGroup: Bool
    private let stop: WakePipe
    private let readers: [LineReader]
    private let threads: [TestThread]

    /// Variables that a child gets from the test runner's own environment, because programs or sanitizers need them to
    /// start.
    private static let inherited = [
        "PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "SWIFT_BACKTRACE", "ASAN_OPTIONS", "LSAN_OPTIONS",
        "TSAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
    ]

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The executable's absolute path.
    ///   - environment: Variables to add; an empty value stays an empty value. Only a few are inherited from the test
    ///     runner, so that a developer's own settings do not change what is tested.
    ///   - directory: The working directory; the runner's own when nil.
    ///   - ownGroup: Whether it leads a process group of its own, which `deinit` then kills as a whole.
    ///   - descriptor: What the program finds open as descriptor 3; stays the caller's too.
    package init(
        _ path: String, _ arguments: [String] = [], environment: [String: String] = [:], directory: String? = nil,
        ownGroup: Bool = true, descriptor: Int32? = nil
    ) throws {
        var variables: [String: String] = [:]
        for name in TestProcess.inherited { variables[name] = getenv(name).map { String(cString: $0) } }
        let child = try Spawner.spawn(
            path, arguments, environment: variables.merging(environment) { $1 }, directory: directory,
            ownGroup: ownGroup, descriptor: descriptor)
        let (pid, output, status) = (child.pid, output, status)
        let stop = try WakePipe()
        let exited = try WakePipe()
        let readers = [
            LineReader(owning: child.standardOutput) { output.append(Line(stream: .output, text: $0)) },
            LineReader(owning: child.standardError) { output.append(Line(stream: .error, text: $0)) },
        ]
        self.pid = pid
        self.ownGroup = ownGroup
        self.stop = stop
        self.readers = readers
        threads =
            try readers.map { reader in try TestThread { reader.run(exited: exited, stop: stop) } } + [
                TestThread {
                    TestProcess.reap(pid, into: status)
                    exited.wake()
                    // Opened in any case: by the readers' end when not by what they have read.
                    for reader in readers { _ = reader.restIsRead.isOpened(within: .seconds(86_400)) }
                    output.finish()
                }
            ]
    }

    deinit {
        if ownGroup {
            // Also what the program has left behind; the group's id cannot be taken while any member is left.
            _ = kill(-pid, SIGKILL)
        }
        terminate(SIGKILL)
        stop.wake()
        for thread in threads { thread.join() }
    }

    /// Sends a signal; nothing happens when the process has ended.
    package func terminate(_ signal: Int32 = SIGTERM) {
        // Under the lock: the process is not reaped meanwhile, so its id cannot belong to another one.
        status.withLock { if $0 == nil { _ = kill(pid, signal) } }
    }

    /// How it ended; nil while it runs.
    package var exitStatus: ExitStatus? { status.withLock { $0 } }

    /// Waits for its end; all it wrote is then in `output`.
    @discardableResult
    package func waitForExit(within limit: Duration = .seconds(10)) throws -> ExitStatus {
        let deadline = Deadline(after: limit)
        let result = try status.wait(for: "process \(pid) to exit", within: limit) { $0 }
        for reader in readers { try reader.restIsRead.wait(within: max(deadline.remaining, .seconds(1))) }
        return result
    }

    /// Waits for a line, written already or still to come. When there is none in time, or the process ends before, what
    /// it did write is in the error.
    @discardableResult
    package func waitForLine(
        on stream: Stream? = nil, within limit: Duration = .seconds(10), matching predicate: (String) -> Bool
    ) throws -> String {
        do {
            return try output.first("a line of process \(pid)", within: limit) {
                (stream == nil || $0.stream == stream) && predicate($0.text)
            }.text
        } catch {
            let lines = output.values.suffix(40).map { "  \($0.stream): \($0.text)" }.joined(separator: "\n")
            let what = "a line of process \(pid), which wrote:\n\(lines)"
            if let exitStatus { throw TestKitError.unavailable("process \(pid) ended (\(exitStatus)) before \(what)") }
            throw TestKitError.timedOut(after: limit, waitingFor: what)
        }
    }

    /// The lines of one stream so far.
    package func lines(of stream: Stream) -> [String] {
        output.values.filter { $0.stream == stream }.map(\.text)
    }

    private static func reap(_ pid: Int32, into status: Monitor<ExitStatus?>) {
        var info = siginfo_t()
        // Waits without reaping: the id stays taken until the status is set under the lock.
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        status.withLock { status in
            var raw: Int32 = 0
            while waitpid(pid, &raw, 0) < 0, errno == EINTR {}
            let signal = raw & 0x7f
            status = signal == 0 ? .exited((raw >> 8) & 0xff) : .signalled(signal)
        }
    }
}
