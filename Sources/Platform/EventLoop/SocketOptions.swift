// SPDX-License-Identifier: Apache-2.0

internal import CLinux
import Glibc

/// Wrappers for system calls on sockets and other descriptors.
package enum SocketOptions {
    /// Makes close(2) reset the connection (socket(7), SO_LINGER with a time of zero).
    package static func setLingerToZero(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Disables Nagle's algorithm (tcp(7), TCP_NODELAY), so that an event does not wait for the acknowledgement of the
    /// previous event.
    package static func setNoDelay(_ descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Returns the number of bytes that have been read from a socket since it was connected (``Socket/bytesRead``).
    package static func bytesRead(_ descriptor: Int32) -> UInt64? {
        let count = clinux_bytes_read(descriptor)
        return count < 0 ? nil : UInt64(count)
    }

    /// Returns another descriptor for the same open socket, with close-on-exec set.
    package static func duplicate(_ descriptor: Int32) throws(SystemCallError) -> Int32 {
        try check("fcntl") { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
    }

    /// Makes `target` a duplicate of `descriptor`, and closes the file to which `target` referred before.
    package static func duplicate(_ descriptor: Int32, onto target: Int32) throws(SystemCallError) {
        try check("dup3") { clinux_dup_onto(descriptor, target) }
    }

    /// Returns a descriptor whose peer is closed, so that reads return the end of the stream. The descriptor is one end
    /// of a socket pair whose other end is closed.
    package static func closedPeer() throws(SystemCallError) -> Int32 {
        var pair: (Int32, Int32) = (-1, -1)
        try check("socketpair") {
            withUnsafeMutablePointer(to: &pair) { pointer in
                // A pair of Int32 has the layout of the array that socketpair(2) fills.
                pointer.withMemoryRebound(to: Int32.self, capacity: 2) {
                    socketpair(
                        AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, $0)
                }
            }
        }
        close(pair.1)
        return pair.0
    }
}
