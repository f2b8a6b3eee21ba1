internal import CSystemd
internal import Glibc

/// The pipe from one of a child's outputs. Only the loop's thread may use it.
final class ChildPipe: @unchecked Sendable {  // confined to the loop's thread by its ChildProcess
    /// Bytes per read, at most.
    private static let pieceSize = 16 * 1024
    /// What is still read of an ended child, bytes: a process that left the group could write for ever.
    private static let remainderLimit = 1024 * 1024

    let output: ChildProcess.Output
    let readEnd: Int32
    private(set) var writeEnd: Int32
    var source: EventSource?
    private var atEnd = false

    init(_ output: ChildProcess.Output) throws(SystemdError) {
        var ends: [Int32] = [-1, -1]
        guard control_pipe(&ends, O_CLOEXEC) == 0 else {
            throw SystemdError(operation: "pipe2", code: errno, detail: "a child's output")
        }
        self.output = output
        readEnd = ends[0]
        writeEnd = ends[1]
        // Only our end: the other one becomes the child's, where a non-blocking output would break programs.
        _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(readEnd)
        closeWriteEnd()
    }

    func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }

    /// The next piece; nil when there is none now. At the end of the output the source ends too.
    func read() -> [UInt8]? {
        guard !atEnd else { return nil }
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, initialized in
            repeat {
                count = Glibc.read(readEnd, buffer.baseAddress, buffer.count)
            } while count < 0 && errno == EINTR
            initialized = max(count, 0)
        }
        if count > 0 { return bytes }
        if count == 0 || errno != EAGAIN { endReading() }
        return nil
    }

    /// What is left after the child has ended.
    func drain(_ deliver: ([UInt8]) -> Void) {
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
}
