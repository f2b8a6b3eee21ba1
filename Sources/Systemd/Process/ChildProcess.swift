internal import CSystemd
internal import Glibc

/// One child process in a process group of its own, watched by the control loop.
///
/// It keeps itself until the child has ended, so a child is always collected. Only the loop's thread may use it.
package final class ChildProcess: @unchecked Sendable {  // confined to the loop's thread, which every entry checks
    /// Which of the child's outputs.
    package enum Output: Sendable { case standardOutput, standardError }

    /// What the child did; always on the loop's thread.
    package enum Event: Sendable {
        /// It wrote these bytes: a piece of any size.
        case output(Output, [UInt8])
        /// It ended, and all of its process group was killed. The last event.
        case exited(ProcessExit)
    }

    /// The kernel's number of the process, and of its group.
    package let identifier: Int32
    private let loop: SystemEventLoop
    private let handler: @Sendable (Event) -> Void
    private let descriptor: Int32
    private var exitSource: EventSource?
    private var pipes: [ChildPipe] = []
    private var hasExited = false

    /// Starts the child; its events come later, never from within this call. Only on the loop's thread.
    ///
    /// The child has the null device as input, pipes as outputs, no other descriptor, no signal blocked or ignored.
    package init(
        _ command: ChildCommand, on loop: SystemEventLoop, handler: @escaping @Sendable (Event) -> Void
    ) throws(SystemdError) {
        loop.checkIsolated()
        self.loop = loop
        self.handler = handler
        let output = try ChildPipe(.standardOutput)
        let error = try ChildPipe(.standardError)
        identifier = try Spawn.start(command, output: output.writeEnd, error: error.writeEnd)
        output.closeWriteEnd()
        error.closeWriteEnd()
        descriptor = control_pidfd_open(identifier)
        guard descriptor >= 0 else {
            let code = errno
            Self.abandon(identifier)
            throw SystemdError(operation: "pidfd_open", code: code, detail: command.words[0])
        }
        pipes = [output, error]
        do {
            exitSource = try loop.watch(descriptor, .readable) { _ in self.collect() }
            for pipe in pipes {
                pipe.source = try loop.watch(pipe.readEnd, .readable) { _ in self.read(pipe) }
            }
        } catch {
            end()
            Self.abandon(identifier)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Sends a signal to every process of the child's group; nothing once the child has ended.
    package func signalGroup(_ number: Int32) {
        loop.checkIsolated()
        // The group's number can't be another's: the child is not collected before this is set.
        if !hasExited { kill(-identifier, number) }
    }

    private func read(_ pipe: ChildPipe) {
        if let bytes = pipe.read() { handler(.output(pipe.output, bytes)) }
    }

    private func collect() {
        // First the rest of the group, while the ended child still holds the group's number, so that it can't be
        // another's.
        kill(-identifier, SIGKILL)
        var ended = control_exit()
        let collected = control_reap(descriptor, &ended) == 0
        if collected, ended.code == 0 { return }
        hasExited = true
        for pipe in pipes { pipe.drain { handler(.output(pipe.output, $0)) } }
        end()
        handler(.exited(collected ? ProcessExit(ended) : .unknown))
    }

    /// Takes apart what keeps this object.
    private func end() {
        exitSource?.cancel()
        exitSource = nil
        for pipe in pipes { pipe.endReading() }
        pipes = []
        hasExited = true
    }

    /// Ends a child that can't be watched.
    private static func abandon(_ identifier: Int32) {
        kill(-identifier, SIGKILL)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    }
}

extension ProcessExit {
    fileprivate init(_ ended: control_exit) {
        self = ended.code == CLD_EXITED ? .exited(ended.status) : .killed(signal: ended.status)
    }
}
