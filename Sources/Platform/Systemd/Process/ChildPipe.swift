// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// The pipe for one of a child's outputs. Only the loop's thread may use it.
///
/// The child's end is also open for reading. The pipe therefore has a reader for as long as the child lives, and the
/// child can continue to write after the gateway was killed. With an ordinary pipe, the child would receive EPIPE and
/// SIGPIPE. The output stays in the pipe for the next gateway, which opens the pipe through the child's own descriptor.
/// Only a child that has filled the pipe (64 KiB, pipe(7)) blocks.
final class ChildPipe: @unchecked Sendable {  // Confined to the loop's thread by its ChildProcess.
    /// The maximum number of bytes for each read.
    private static let chunkSize = 16 * 1024
    /// The maximum number of bytes to read after the child has ended. A process that left the group could write
    /// indefinitely.
    private static let remainderLimit = 1024 * 1024

    let output: ChildProcess.Output
    private let readEnd: Int32
    /// The descriptor for the child's output; -1 after it was passed to the child.
    private(set) var childEnd: Int32
    private var source: EventSource?
    private var atEnd = false

    /// Creates a pipe for a child that will be started.
    init(_ output: ChildProcess.Output) throws(SystemdError) {
        var ends: [Int32] = [-1, -1]
        guard control_pipe(&ends, O_CLOEXEC) == 0 else {
            throw SystemdError(operation: "pipe2", code: errno, detail: "a child's output")
        }
        defer { close(ends[1]) }
        // Open the child's end for reading as well, so that the pipe has a reader as long as the child lives. The
        // child's end must block, although the gateway's end does not.
        let childEnd = open("/proc/self/fd/\(ends[1])", O_RDWR | O_CLOEXEC)
        guard childEnd >= 0 else {
            let code = errno
            close(ends[0])
            throw SystemdError(operation: "open", code: code, detail: "a child's output in /proc/self/fd")
        }
        self.output = output
        self.childEnd = childEnd
        readEnd = ends[0]
        _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
    }

    /// Opens a pipe to which another process already writes.
    init(_ output: ChildProcess.Output, of process: Int32) throws(SystemdError) {
        let path = "/proc/\(process)/fd/\(output.descriptor)"
        // Check the type before opening, because opening anything other than a pipe could block or have side effects.
        var status = stat()
        guard stat(path, &status) == 0 else { throw SystemdError(operation: "stat", code: errno, detail: path) }
        guard status.st_mode & S_IFMT == S_IFIFO else {
            throw SystemdError(operation: "open", code: ESPIPE, detail: "\(path), which is not a pipe")
        }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemdError(operation: "open", code: errno, detail: path) }
        self.output = output
        readEnd = descriptor
        childEnd = -1
    }

    deinit {
        // Release the source first, because it waits on the descriptor.
        source = nil
        close(readEnd)
        closeChildEnd()
    }

    func closeChildEnd() {
        if childEnd >= 0 { close(childEnd) }
        childEnd = -1
    }

    /// Calls `deliver` with each chunk of output on the loop's thread.
    func watch(on loop: SystemEventLoop, _ deliver: @escaping @Sendable ([UInt8]) -> Void) throws(SystemdError) {
        source = try loop.watch(readEnd, .readable) { [weak self] _ in
            if let bytes = self?.read() { deliver(bytes) }
        }
    }

    /// Reads the remaining output after the child has ended.
    func readRemainder(_ deliver: ([UInt8]) -> Void) {
        var total = 0
        while total < Self.remainderLimit, let bytes = read() {
            total += bytes.count
            deliver(bytes)
        }
    }

    func endReading() {
        atEnd = true
        source?.cancel()
        source = nil
    }

    /// Returns the next chunk; nil if none is available now. At the end of the output, also ends the source.
    private func read() -> [UInt8]? {
        guard !atEnd else { return nil }
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, initialized in
            repeat {
                count = Glibc.read(readEnd, buffer.baseAddress, buffer.count)
            } while count < 0 && errno == EINTR
            initialized = max(count, 0)
        }
        if count > 0 { return bytes }
        if count == 0 || errno != EAGAIN { endReading() }
        return nil
    }
}

extension ChildProcess.Output {
    fileprivate var descriptor: Int32 { self == .standardOutput ? STDOUT_FILENO : STDERR_FILENO }
}
