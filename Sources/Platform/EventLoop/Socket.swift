// SPDX-License-Identifier: Apache-2.0

internal import CLinux
import Glibc

/// A connected, non-blocking TCP socket that this object owns.
package final class Socket {
    /// The result of one attempt to read from the socket.
    package enum Received: Equatable {
        /// The number of bytes that were passed to the closure.
        case bytes(Int)
        /// No bytes are available at the moment.
        case nothingYet
        /// The peer will send nothing more.
        case end
        /// The connection has failed with this error number (recv(2)).
        case failed(Int32)
    }

    /// The result of one attempt to write to the socket.
    package enum Sent: Equatable {
        /// The number of bytes that the kernel accepted, possibly 0.
        case bytes(Int)
        /// The connection has failed with this error number (send(2)).
        case failed(Int32)
    }

    /// The descriptor, for watching; -1 after the socket is closed.
    package private(set) var descriptor: Int32

    /// Creates a socket that owns a connected, non-blocking descriptor.
    package init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close() }

    /// Reads once into `scratch` and calls `body` with the received bytes.
    package func receive(_ scratch: ScratchBuffer, _ body: (Span<UInt8>) -> Void) -> Received {
        while true {
            let count = recv(descriptor, scratch.memory.baseAddress, scratch.memory.count, 0)
            if count > 0 {
                scratch.withBytes(count, body)
                return .bytes(count)
            }
            if count == 0 { return .end }
            if errno == EAGAIN { return .nothingYet }
            if errno != EINTR { return .failed(errno) }
        }
    }

    /// Writes as many bytes as the kernel accepts now.
    package func send(_ bytes: Span<UInt8>) -> Sent {
        // The pointer is valid for this system call only.
        bytes.withUnsafeBufferPointer { buffer in
            while true {
                let count = Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
                if count >= 0 { return .bytes(count) }
                if errno == EAGAIN { return .bytes(0) }
                if errno != EINTR { return .failed(errno) }
            }
        }
    }

    /// Writes as many bytes of three consecutive buffers as the kernel accepts now, in one call (sendmsg(2)).
    package func send(_ first: Span<UInt8>, then second: Span<UInt8>, then third: Span<UInt8>) -> Sent {
        if second.isEmpty, third.isEmpty { return send(first) }
        // The pointers are valid for this system call only, and the memory is only read.
        return first.withUnsafeBytes { first in
            second.withUnsafeBytes { second in
                third.withUnsafeBytes { third in
                    var vectors = (iovec(first), iovec(second), iovec(third))
                    return withUnsafeMutableBytes(of: &vectors) { vectors in
                        Self.sent(descriptor, vectors.assumingMemoryBound(to: iovec.self))
                    }
                }
            }
        }
    }

    private static func sent(_ descriptor: Int32, _ vectors: UnsafeMutableBufferPointer<iovec>) -> Sent {
        var message = msghdr()
        message.msg_iov = vectors.baseAddress
        message.msg_iovlen = vectors.count
        while true {
            let count = sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            if errno == EAGAIN { return .bytes(0) }
            if errno != EINTR { return .failed(errno) }
        }
    }

    /// Signals the end of the sent data (FIN).
    package func shutdownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes the descriptor. A second call has no effect.
    package func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Closes the connection with a reset (socket(7), SO_LINGER). Only a reset shows an HTTP/1.0 client that a body
    /// without a length is incomplete.
    package func reset() {
        SocketOptions.setLingerToZero(descriptor)
        close()
    }

    /// Returns the descriptor and transfers its ownership to the caller, which must close it.
    package func release() -> Int32 {
        defer { descriptor = -1 }
        return descriptor
    }

    /// The number of bytes that any process has read from the socket since the socket was connected (SIOCINQ and
    /// TCP_INFO, tcp(7)); nil if the number is unknown. Bytes that arrive during the measurement count as read, so the
    /// number is never too small.
    package var bytesRead: UInt64? { SocketOptions.bytesRead(descriptor) }

    /// The number of written bytes that the peer's kernel has not acknowledged yet (SIOCOUTQ, tcp(7)).
    package var unacknowledgedBytes: Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }
}

/// Non-blocking connection establishment (connect(2), EINPROGRESS).
extension Socket {
    /// Starts to connect. The descriptor becomes writable when the connection is established or has failed.
    /// ``pendingError`` distinguishes the two cases.
    ///
    /// `loss` applies only to the kernel's probes of idle connections. A peer that does not read for a while, such as a
    /// busy instance, does not count as lost.
    package static func connecting(to address: SocketAddress, detecting loss: PeerLoss? = nil) throws(SystemCallError)
        -> Socket
    {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = try check("socket") { socket(address.family, kind, 0) }
        let result = Socket(owning: descriptor)
        SocketOptions.setNoDelay(descriptor)
        loss?.set(on: descriptor)
        let code = address.withPointer { Glibc.connect(descriptor, $0, $1) == 0 ? 0 : errno }
        guard code == 0 || code == EINPROGRESS else { throw SystemCallError(call: "connect", code: code) }
        return result
    }

    /// The socket's error since the last query; 0 if there is none (socket(7), SO_ERROR).
    package var pendingError: Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
    }

    /// Whether the connection is still open and all received bytes have been read.
    package var isQuiet: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) < 0 && errno == EAGAIN
    }
}

extension iovec {
    /// Creates an element of a message from memory that the system call only reads.
    fileprivate init(_ bytes: UnsafeRawBufferPointer) {
        self.init(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }
}
