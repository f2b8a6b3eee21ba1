// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// A client socket for journald's native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL).
///
/// The socket is not connected. The kernel resolves the path for each datagram, so a restarted journald receives the
/// next entry.
package final class JournalSocket: Sendable {
    /// The path of journald's socket.
    package static let systemPath = "/run/systemd/journal/socket"

    private let descriptor: Int32
    private let path: String

    /// Creates a socket that sends entries to `path`; returns nil if no descriptor is available. Only ``send(_:)``
    /// shows whether journald listens at the path.
    package init?(path: String = JournalSocket.systemPath) {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.path = path
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Sends one entry. Blocks while journald's queue is full.
    ///
    /// - Returns: 0, or the error number of sendto(2): `ENOENT` or `ECONNREFUSED` without journald, `EMSGSIZE` if the
    ///   entry is too long for a datagram.
    package func send(_ entry: ArraySlice<UInt8>) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let pathBytes = Array(path.utf8)
        let isLong = withUnsafeMutableBytes(of: &address.sun_path) { field in
            guard pathBytes.count < field.count else { return true }
            field.copyBytes(from: pathBytes)
            return false
        }
        if isLong { return ENAMETOOLONG }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return withUnsafePointer(to: &address) { pointer in
            // The socket calls take a pointer to the common initial part of all address types.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                entry.withUnsafeBytes { bytes in
                    var sent = -1
                    repeat {
                        sent = sendto(
                            descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL), address, length)
                    } while sent < 0 && errno == EINTR
                    return sent < 0 ? errno : 0
                }
            }
        }
    }
}
