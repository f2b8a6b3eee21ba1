import Glibc

/// A descriptor that becomes readable for good once `wake` is called: what ends a poll(2) in another thread.
final class WakePipe: Sendable {
    /// Readable, or at its end, after `wake`.
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws {
        let ends = try Pipe.make()
        readEnd = ends.read
        writeEnd = ends.write
    }

    deinit {
        _ = close(readEnd)
        _ = close(writeEnd)
    }

    /// Wakes everybody who polls, now and later. Harmless when done twice.
    func wake() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }
}

/// pipe(2) with descriptors that programs started later do not inherit.
enum Pipe {
    static func make() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        _ = try SystemCall.check("pipe") { pipe(&ends) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
