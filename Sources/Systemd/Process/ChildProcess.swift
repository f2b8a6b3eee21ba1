internal import CSystemd
internal import Glibc

/// One child process in a session and process group of its own, watched by the control loop; or one that another gateway
/// started before, whose outputs are taken over.
///
/// It keeps itself until ``collect()``, so a child is always collected. Only the loop's thread may use it.
package final class ChildProcess: @unchecked Sendable {  // confined to the loop's thread, which every entry checks
    /// Which of the child's outputs.
    package enum Output: Sendable, CaseIterable { case standardOutput, standardError }

    /// What the child did; always on the loop's thread.
    package enum Event: Sendable {
        /// It wrote these bytes: a piece of any size.
        case output(Output, [UInt8])
        /// It ended and is to be collected; what it started may still run. Output may come until then.
        case ended
    }

    /// Which process; its number is also that of its session and of its group.
    package let identity: ProcessIdentity
    /// Whether it is the gateway's own child. The number of an own one can't be another's before ``collect()``.
    package let isOwnChild: Bool
    private let loop: SystemEventLoop
    private let handler: @Sendable (Event) -> Void
    private let descriptor: Int32
    private var exitSource: EventSource?
    private var pipes: [ChildPipe]
    private var hasEnded = false
    private var isCollected = false

    /// Starts the child; its events come later, never from within this call. Only on the loop's thread.
    ///
    /// The child has the null device as input, pipes as outputs, no other descriptor, no terminal, no signal blocked or
    /// ignored.
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
        isOwnChild = true
        pipes = [output, error]
        do {
            try watch()
        } catch {
            end()
            Self.abandon(number)
            throw error
        }
    }

    /// Takes over a process that another gateway started as its child: its end and its outputs from now on, and what
    /// waits in the pipes. Throws when it has gone, or when its outputs are not such pipes.
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
        // The number could have been given to another process before the descriptor held it.
        guard ProcessTable.status(of: identity.number)?.identity == identity else {
            close(descriptor)
            throw SystemdError(operation: "pidfd_open", code: ESRCH, detail: "process \(identity.number)")
        }
        self.loop = loop
        self.handler = handler
        self.descriptor = descriptor
        self.identity = identity
        isOwnChild = false
        self.pipes = pipes
        do {
            try watch()
        } catch {
            end()
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Sends a signal to every process of the child's group; nothing once the child may be another process.
    package func signalGroup(_ number: Int32) {
        loop.checkIsolated()
        // An own child's group keeps its number until the child is collected; another one's only while that runs.
        if !isCollected, isOwnChild || !hasEnded { kill(-identity.number, number) }
    }

    /// Frees the number of a child that has ended and hands over the rest of its output; tells how it ended. The last
    /// call: nothing comes any more.
    package func collect() -> ProcessExit {
        loop.checkIsolated()
        precondition(hasEnded && !isCollected, "only a child that has ended is collected, and only once")
        isCollected = true
        var ended = control_exit()
        let isKnown = isOwnChild && control_reap(descriptor, &ended) == 0 && ended.code != 0
        for pipe in pipes { pipe.readRemainder { handler(.output(pipe.output, $0)) } }
        end()
        return isKnown ? ProcessExit(ended) : .unknown
    }

    private func watch() throws(SystemdError) {
        let source = try loop.watch(descriptor, .readable) { _ in self.noteEnd() }
        // Before anything else, above all before another child is started that may get this one's port.
        try source.setPriority(EventSource.urgent, "process \(identity.number)")
        exitSource = source
        for pipe in pipes {
            let output = pipe.output
            try pipe.watch(on: loop) { [weak self] in self?.handler(.output(output, $0)) }
        }
    }

    private func noteEnd() {
        // Level-triggered: it would come again until the child is collected.
        exitSource?.cancel()
        guard !hasEnded else { return }
        hasEnded = true
        handler(.ended)
    }

    /// Takes apart what keeps this object.
    private func end() {
        exitSource?.cancel()
        exitSource = nil
        for pipe in pipes { pipe.endReading() }
        pipes = []
        hasEnded = true
        isCollected = true
    }

    /// Ends a child that can't be watched.
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

/// How a process ended.
package enum ProcessExit: Sendable, Equatable, CustomStringConvertible {
    /// It ended by itself with this status.
    case exited(Int32)
    /// This signal ended it.
    case killed(signal: Int32)
    /// Somebody else collected it: nobody knows.
    case unknown

    /// As a phrase: `exit status 1`, `signal SIGKILL`.
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
