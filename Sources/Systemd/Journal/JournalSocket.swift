internal import CSystemd
internal import Glibc

/// The socket on which journald takes entries in its native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL).
///
/// Not connected: each datagram finds the socket by its path, so a journald that was restarted gets the next one.
package final class JournalSocket: Sendable {
    /// Where journald listens.
    package static let systemPath = "/run/systemd/journal/socket"

    private let descriptor: Int32
    private let path: String

    /// Opens a socket for entries to `path`; nil where the kernel has no descriptor left. Whether anybody listens there
    /// shows when something is sent.
    package init?(path: String = JournalSocket.systemPath) {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.path = path
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Sends one entry and blocks while journald's queue is full. Returns 0, or the error number of sendto(2): `ENOENT` or
    /// `ECONNREFUSED` where there is no journald, `EMSGSIZE` where the entry is too long for a datagram.
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
            // The socket calls take any family's address behind a pointer to the common beginning.
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
