import Glibc

/// Where the log writer's bytes go.
package enum LogOutput: Sendable {
    /// A file descriptor that takes a stream of lines, such as stderr. The writer does not close it.
    case stream(descriptor: Int32)
    /// A socket that takes one record at a time: sends the bytes as one datagram and returns 0 or the error number.
    case datagrams(send: @Sendable (ArraySlice<UInt8>) -> Int32)

    /// Writes records that stand one behind the other in `bytes`, each ending where `ends` says. Blocks until the other
    /// side has taken them. Returns how many were not written because the output is gone or refused them.
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

    /// Writes as much as the descriptor ever takes and returns the count: less than all only after an error.
    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // stderr can be non-blocking when it is shared with a program that made it so.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wanted, 1, -1)
            } else if errno != EINTR {
                break
            }
        }
        return bytes.count - rest.count
    }
}
