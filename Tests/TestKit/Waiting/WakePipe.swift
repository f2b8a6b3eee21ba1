// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A descriptor that becomes permanently readable after `wake`. This ends a poll(2) call in another thread.
final class WakePipe: Sendable {
    /// The descriptor to poll. After `wake`, it is readable or at its end.
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

    /// Wakes all threads that poll the descriptor, now and later. Further calls have no effect.
    func wake() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }
}

/// Creates pipes (pipe(2)) whose descriptors child processes do not inherit.
enum Pipe {
    static func make() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        _ = try SystemCall.check("pipe") { pipe(&ends) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
