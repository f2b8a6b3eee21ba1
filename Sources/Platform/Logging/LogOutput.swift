// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The destination of the log writer's bytes.
package enum LogOutput: Sendable {
    /// A file descriptor that accepts a stream of lines, such as stderr. The writer does not close the descriptor.
    case stream(descriptor: Int32)
    /// A socket that accepts one record at a time. `send` sends the bytes as one datagram and returns 0 or an error
    /// number.
    case datagrams(send: @Sendable (ArraySlice<UInt8>) -> Int32)

    /// Writes consecutive records and blocks until the destination has accepted them.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the records.
    ///   - ends: The end offset of each record in `bytes`.
    /// - Returns: The number of records that were not written because the output is closed or rejected them.
    func write(_ bytes: [UInt8], ends: [Int]) -> Int {
        switch self {
        case .stream(let descriptor):
            let written = Self.writeAll(bytes, to: descriptor)
            return ends.count { $0 > written }
        case .datagrams(let send):
            var start = 0
            var refused = 0
            for end in ends {
                if send(bytes[start..<end]) != 0 { refused += 1 }
                start = end
            }
            return refused
        }
    }

    /// Writes all bytes and returns their number, or fewer after an error.
    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int {
        var remaining = bytes[...]
        while !remaining.isEmpty {
            let count = remaining.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                remaining = remaining.dropFirst(count)
            } else if errno == EAGAIN {
                // Wait until stderr is writable, because another program that shares it may have made it non-blocking.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wanted, 1, -1)
            } else if errno != EINTR {
                break
            }
        }
        return bytes.count - remaining.count
    }
}
