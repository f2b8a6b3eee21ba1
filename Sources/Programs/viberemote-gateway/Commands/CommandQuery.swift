// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locking
import Systemd

/// The run of a command whose output answers a question.
final class CommandQuery: Sendable {
    /// The result of the run.
    enum Outcome: Sendable {
        /// The bytes that the command printed before it ended successfully.
        case output([UInt8])
        /// The command ran but did not end successfully. The phrase states the reason.
        case failed(String)
        /// The command could not be run, for this reason.
        case absent(String)
    }

    /// The time limit, which is short because one check runs several commands.
    private static let timeout = Duration.seconds(2)
    /// The largest size of the output in bytes.
    private static let longestOutput = 4 << 20

    private struct State {
        var child: ChildProcess?
        var timer: EventSource?
        var output: [UInt8] = []
        var outcome = Outcome.failed("the command did not exit within 2 s")
    }

    private let loop: SystemEventLoop
    private let state = Locked(State())

    private init() throws(SystemdError) { loop = try SystemEventLoop() }

    /// Runs a command until it ends.
    ///
    /// - Parameter words: The program, which is searched on the path, and its arguments.
    static func run(_ words: [String], environment: [String: String]) throws(SystemdError) -> Outcome {
        let query = try CommandQuery()
        query.loop.later { query.start(ChildCommand(words: words, environment: environment, directory: "/")) }
        try query.loop.run()
        return query.state.withLock { $0.outcome }
    }

    private func start(_ command: ChildCommand) {
        do throws(SystemdError) {
            let child = try ChildProcess(command, on: loop) { self.receive($0) }
            let timer = try loop.timer(after: Self.timeout) { child.signalGroup(SIGKILL) }
            state.withLock { state in
                state.child = child
                state.timer = timer
            }
        } catch {
            state.withLock { $0.outcome = .absent(error.reason) }
            loop.stop()
        }
    }

    private func receive(_ event: ChildProcess.Event) {
        switch event {
        case .output(.standardOutput, let bytes):
            state.withLock { state in
                if state.output.count < Self.longestOutput { state.output += bytes }
            }
        case .output(.standardError, _): break
        case .ended:
            guard let child = state.withLock({ $0.child }) else { return }
            // Kill the remaining processes before the child is collected, while the kernel cannot reuse
            // the child's group number.
            child.signalGroup(SIGKILL)
            finish(child.collect())
        }
    }

    private func finish(_ exit: ProcessExit) {
        state.withLock { state in
            state.child = nil
            state.timer = nil
            if exit == .exited(0) {
                state.outcome = .output(state.output)
            } else if exit != .killed(signal: SIGKILL) {
                state.outcome = .failed("the command ended with \(exit.description)")
            }
        }
        loop.stop()
    }
}
