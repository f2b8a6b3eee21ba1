// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locking
internal import Supervisors
import Systemd

/// The run of an OpenCode command that determines the command's version. The command runs in the same way as for an
/// instance, but with `--version`.
final class VersionQuery: Sendable {
    /// The result of the query.
    enum VersionResult: Sendable {
        /// The first line that the command printed.
        case version(String)
        /// The command ran but printed no version. The phrase states the reason.
        case silent(String)
        /// The command could not be run, for this reason.
        case absent(String)
    }

    /// The time limit, which is short because one check runs several commands.
    private static let timeout = Duration.seconds(2)

    private struct State {
        var child: ChildProcess?
        var timer: EventSource?
        var output: [UInt8] = []
        var outcome = VersionResult.silent("the command did not exit within 2 s")
    }

    private let loop: SystemEventLoop
    private let state = Locked(State())

    private init() throws(SystemdError) { loop = try SystemEventLoop() }

    /// Runs a command, which consists of the program and its first arguments, until it ends.
    static func run(_ words: [String]) throws(SystemdError) -> VersionResult {
        let variables = InstanceEnvironment(base: Environment.variables, files: [])
            .variables(credentials: nil, directory: "/")
        let command = ChildCommand(words: words + ["--version"], environment: variables, directory: "/")
        let query = try VersionQuery()
        query.loop.later { query.start(command) }
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
        case .output(.standardOutput, let bytes): state.withLock { $0.output += bytes }
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
            let line = state.output.split(separator: UInt8(ascii: "\n")).first.map {
                String(decoding: $0, as: UTF8.self)
            }
            if exit == .exited(0), let line {
                state.outcome = .version(line)
            } else if exit != .killed(signal: SIGKILL) {
                state.outcome = .silent("the command ended with \(exit.description)")
            }
        }
        loop.stop()
    }
}
