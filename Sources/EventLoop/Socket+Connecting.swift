internal import CLinux
import Glibc

/// Making a connection without waiting for it (connect(2), EINPROGRESS).
extension Socket {
    /// Begins to connect. The descriptor becomes writable once the connection is there or has failed; ``pendingError``
    /// tells which.
    package static func connecting(to address: SocketAddress) throws(SystemCallError) -> Socket {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = try check("socket") { socket(address.family, kind, 0) }
        let result = Socket(owning: descriptor)
        SocketOptions.setNoDelay(descriptor)
        let code = address.withPointer { Glibc.connect(descriptor, $0, $1) == 0 ? 0 : errno }
        guard code == 0 || code == EINPROGRESS else { throw SystemCallError(call: "connect", code: code) }
        return result
    }

    /// The error that has happened to the socket since it was last asked for, 0 where there is none (socket(7), SO_ERROR).
    package var pendingError: Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
    }

    /// Whether the peer has neither sent anything that waits to be read nor closed.
    package var isQuiet: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) < 0 && errno == EAGAIN
    }
}
