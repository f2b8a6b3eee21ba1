// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A program that a test runs, with its output lines, its end and its resource usage. The program is killed when this
/// object is released.
package final class TestProcess: Sendable {
    /// The stream that received a line of output.
    package enum Stream: Sendable, Equatable {
        /// The standard output stream of the process.
        case output
        /// The standard error stream of the process.
        case error
    }

    /// A line of output without its line feed.
    package struct Line: Sendable, Equatable {
        /// The stream that received the line.
        package let stream: Stream
        /// The line decoded as UTF-8.
        package let text: String

        /// Creates a line for comparisons.
        package init(stream: Stream, text: String) {
            self.stream = stream
            self.text = text
        }
    }

    /// How a process ended: with an exit code or by a signal.
    package enum ExitStatus: Sendable, Equatable {
        /// The process exited with this code.
        case exited(Int32)
        /// The process was ended by this signal.
        case signalled(Int32)
    }

    /// The process ID of the program.
    package let pid: Int32
    /// All lines of both streams in the order of reading.
    package let output = Recorded<Line>("a line of output")
    private let status = Monitor<ExitStatus?>(nil)
    private let inOwnGroup: Bool
    private let stop: WakePipe
    private let readers: [LineReader]
    private let threads: [TestThread]

    /// The variables that a child inherits from the test runner, because programs or sanitizers need them to start.
    private static let inherited = [
        "PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "SWIFT_BACKTRACE", "ASAN_OPTIONS", "LSAN_OPTIONS",
        "TSAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
    ]

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The executable's absolute path.
    ///   - environment: The variables to add. An empty value is set as an empty value. Only a few variables are
    ///     inherited from the test runner, so that the settings of a developer do not influence the tests.
    ///   - directory: The working directory; nil for the directory of the runner.
    ///   - inOwnGroup: Whether the program leads its own process group, which `deinit` kills as a whole.
    ///   - descriptor: The descriptor that the program receives as descriptor 3. The caller keeps its own copy.
    package init(
        _ path: String, _ arguments: [String] = [], environment: [String: String] = [:], directory: String? = nil,
        inOwnGroup: Bool = true, descriptor: Int32? = nil
    ) throws {
        var variables: [String: String] = [:]
        for name in TestProcess.inherited { variables[name] = getenv(name).map { String(cString: $0) } }
        let child = try Spawner.spawn(
            path, arguments, environment: variables.merging(environment) { $1 }, directory: directory,
            inOwnGroup: inOwnGroup, descriptor: descriptor)
        let pid = child.pid
        let output = output
        let status = status
        let stop = try WakePipe()
        let exited = try WakePipe()
        let readers = [
            LineReader(owning: child.standardOutput) { output.append(Line(stream: .output, text: $0)) },
            LineReader(owning: child.standardError) { output.append(Line(stream: .error, text: $0)) },
        ]
        self.pid = pid
        self.inOwnGroup = inOwnGroup
        self.stop = stop
        self.readers = readers
        threads =
            try readers.map { reader in try TestThread { reader.run(exited: exited, stop: stop) } } + [
                TestThread {
                    TestProcess.reap(pid, into: status)
                    exited.wake()
                    // The latches always open, at the latest when the readers end.
                    for reader in readers { _ = reader.isRemainderRead.isOpened(within: .seconds(86_400)) }
                    output.finish()
                }
            ]
    }

    deinit {
        if inOwnGroup {
            // This also kills the descendants of the program. The ID of the group is not reused while the group has a
            // member.
            _ = kill(-pid, SIGKILL)
        }
        terminate(SIGKILL)
        stop.wake()
        for thread in threads { thread.join() }
    }

    /// Sends a signal. If the process has ended, this has no effect.
    package func terminate(_ signal: Int32 = SIGTERM) {
        // The process is not reaped while the lock is held, so its ID cannot belong to another process.
        status.withLock { if $0 == nil { _ = kill(pid, signal) } }
    }

    /// How the process ended; nil while it is running.
    package var exitStatus: ExitStatus? { status.withLock { $0 } }

    /// Waits for the end of the process. Afterwards, `output` contains everything that the process wrote.
    @discardableResult
    package func waitForExit(within limit: Duration = .seconds(10)) throws -> ExitStatus {
        let deadline = Deadline(after: limit)
        let result = try status.wait(for: "process \(pid) to exit", within: limit) { $0 }
        for reader in readers { try reader.isRemainderRead.wait(within: max(deadline.remaining, .seconds(1))) }
        return result
    }

    /// Waits for a line that was already written or will be written. If the time limit is reached or the process ends
    /// first, the error contains the lines that the process has written.
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

    /// Returns the lines that one stream has received so far.
    package func lines(of stream: Stream) -> [String] {
        output.values.filter { $0.stream == stream }.map(\.text)
    }

    private static func reap(_ pid: Int32, into status: Monitor<ExitStatus?>) {
        var info = siginfo_t()
        // Waits without reaping, so that the ID is not reused before the status is set under the lock.
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        status.withLock { status in
            var raw: Int32 = 0
            while waitpid(pid, &raw, 0) < 0, errno == EINTR {}
            let signal = raw & 0x7f
            status = signal == 0 ? .exited((raw >> 8) & 0xff) : .signalled(signal)
        }
    }
}
