// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// A child process with its own session and process group, watched by the control loop. The process can also be another
/// gateway's child, whose outputs this gateway takes over.
///
/// The object retains itself until ``collect()``, so that every child is reaped. Only the loop's thread may use it.
package final class ChildProcess: @unchecked Sendable {  // Confined to the loop's thread; every method checks this.
    /// The outputs of a child.
    package enum Output: Sendable, CaseIterable { case standardOutput, standardError }

    /// An event of the child, delivered on the loop's thread.
    package enum Event: Sendable {
        /// The child wrote these bytes. A chunk can have any size.
        case output(Output, [UInt8])
        /// The child has ended and must be collected. The child's descendants may still run, and more output may follow
        /// until ``collect()``.
        case ended
    }

    /// The identity of the process. The process's number is also the number of its session and of its process group.
    package let identity: ProcessIdentity
    /// Whether the process is a child of this gateway. The number of such a child is not reused before ``collect()``.
    package let isGatewayChild: Bool
    private let loop: SystemEventLoop
    private let handler: @Sendable (Event) -> Void
    private let descriptor: Int32
    private var exitSource: EventSource?
    private var pipes: [ChildPipe]
    private var hasEnded = false
    private var isCollected = false

    /// Starts the child on the loop's thread. The child's events are delivered later, never during this call.
    ///
    /// The child has the null device as its input and pipes as its outputs. The child has no other descriptor, no
    /// terminal, and no blocked or ignored signal.
    package init(
        _ command: ChildCommand, on loop: SystemEventLoop, handler: @escaping @Sendable (Event) -> Void
    ) throws(SystemdError) {
        loop.checkIsolated()
        let output = try ChildPipe(.standardOutput)
        let error = try ChildPipe(.standardError)
        let number = try Spawn.start(command, output: output.childEnd, error: error.childEnd)
        for pipe in [output, error] { pipe.closeChildEnd() }
        let descriptor = control_pidfd_open(number)
        guard descriptor >= 0, let status = ProcessTable.status(of: number) else {
            let failure = SystemdError(operation: "pidfd_open", code: errno, detail: command.words[0])
            if descriptor >= 0 { close(descriptor) }
            Self.abandon(number)
            throw failure
        }
        self.loop = loop
        self.handler = handler
        self.descriptor = descriptor
        identity = status.identity
        isGatewayChild = true
        pipes = [output, error]
        do {
            try watch()
        } catch {
            releaseSources()
            Self.abandon(number)
            throw error
        }
    }

    /// Takes over a process that another gateway started as its child. Events report the end of the process, its output
    /// from now on, and the data that is already in the pipes. Throws if the process has ended, or if its outputs are
    /// not pipes of a gateway.
    package init(
        adopting identity: ProcessIdentity, on loop: SystemEventLoop, handler: @escaping @Sendable (Event) -> Void
    ) throws(SystemdError) {
        loop.checkIsolated()
        let pipes = try Output.allCases.map { (output) throws(SystemdError) in
            try ChildPipe(output, of: identity.number)
        }
        let descriptor = control_pidfd_open(identity.number)
        guard descriptor >= 0 else {
            throw SystemdError(operation: "pidfd_open", code: errno, detail: "process \(identity.number)")
        }
        // Check the identity, because the number may have been reused before the descriptor was opened.
        guard ProcessTable.status(of: identity.number)?.identity == identity else {
            close(descriptor)
            throw SystemdError(operation: "pidfd_open", code: ESRCH, detail: "process \(identity.number)")
        }
        self.loop = loop
        self.handler = handler
        self.descriptor = descriptor
        self.identity = identity
        isGatewayChild = false
        self.pipes = pipes
        do {
            try watch()
        } catch {
            releaseSources()
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Sends a signal to every process of the child's group. Does nothing if the number may belong to another process.
    package func signalGroup(_ number: Int32) {
        loop.checkIsolated()
        // The group of the gateway's own child keeps its number until the child is collected. The group of another
        // gateway's child keeps its number only while that child runs.
        if !isCollected, isGatewayChild || !hasEnded { kill(-identity.number, number) }
    }

    /// Reaps a child that has ended, delivers its remaining output and returns its exit. Call this method last, because
    /// no events follow.
    package func collect() -> ProcessExit {
        loop.checkIsolated()
        precondition(hasEnded && !isCollected, "only a child that has ended is collected, and only once")
        isCollected = true
        var ended = control_exit()
        let isKnown = isGatewayChild && control_reap(descriptor, &ended) == 0 && ended.code != 0
        for pipe in pipes { pipe.readRemainder { handler(.output(pipe.output, $0)) } }
        releaseSources()
        return isKnown ? ProcessExit(ended) : .unknown
    }

    private func watch() throws(SystemdError) {
        let source = try loop.watch(descriptor, .readable) { _ in self.reportEnd() }
        // Handle the end before all other events, because a later event may start another child that uses the same
        // port.
        try source.setPriority(EventSource.urgent, "process \(identity.number)")
        exitSource = source
        for pipe in pipes {
            let output = pipe.output
            try pipe.watch(on: loop) { [weak self] in self?.handler(.output(output, $0)) }
        }
    }

    private func reportEnd() {
        // Cancel the source, which is level-triggered and would be dispatched again until the child is collected.
        exitSource?.cancel()
        guard !hasEnded else { return }
        hasEnded = true
        handler(.ended)
    }

    /// Breaks the reference cycles that retain this object.
    private func releaseSources() {
        exitSource?.cancel()
        exitSource = nil
        for pipe in pipes { pipe.endReading() }
        pipes = []
        hasEnded = true
        isCollected = true
    }

    /// Kills and reaps a child that cannot be watched.
    private static func abandon(_ number: Int32) {
        kill(-number, SIGKILL)
        var status: Int32 = 0
        while waitpid(number, &status, 0) < 0, errno == EINTR {}
    }
}

extension ProcessExit {
    fileprivate init(_ ended: control_exit) {
        self = ended.code == CLD_EXITED ? .exited(ended.status) : .killed(signal: ended.status)
    }
}

/// The way in which a process ended: with an exit status or by a signal.
package enum ProcessExit: Sendable, Equatable, CustomStringConvertible {
    /// The process exited with this status.
    case exited(Int32)
    /// The process was killed by this signal.
    case killed(signal: Int32)
    /// Another process reaped the process, so the exit status is unknown.
    case unknown

    /// The result as a phrase: `exit status 1`, `signal SIGKILL`.
    package var description: String {
        switch self {
        case .exited(let status): "exit status \(status)"
        case .unknown: "an unknown status"
        case .killed(let signal): "signal \(Self.names[signal] ?? String(signal))"
        }
    }

    private static let names: [Int32: String] = [
        SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS",
        SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGSEGV: "SIGSEGV", SIGPIPE: "SIGPIPE", SIGTERM: "SIGTERM",
    ]
}
