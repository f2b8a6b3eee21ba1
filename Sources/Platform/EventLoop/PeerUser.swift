// SPDX-License-Identifier: Apache-2.0

internal import CLinux
import Glibc

/// The user who owns the other end of a TCP connection between two sockets of this machine, as the kernel reports it
/// (sock_diag(7)).
///
/// The query identifies one socket by both addresses and ports. The kernel reports user 0 for a socket that no process
/// owns any more. The gateway ignores such a response.
package enum PeerUser {
    /// Returns the user id of the peer's process.
    ///
    /// This method makes six system calls. Call this method only for the first request of a connection.
    ///
    /// - Returns: nil if the peer is on another machine or in another network namespace, or if the peer's socket is
    ///   closed. Also nil if the kernel does not respond.
    package static func id(ofPeerOf descriptor: Int32) -> UInt32? {
        let (isNamed, local) = SocketAddress.filled { getsockname(descriptor, $0, $1) }
        let (isConnected, peer) = SocketAddress.filled { getpeername(descriptor, $0, $1) }
        guard isNamed == 0, isConnected == 0, let query = Query(socket: peer, connectedTo: local) else {
            return nil
        }
        let request = query.bytes
        var answer = [UInt8](repeating: 0, count: 512)
        // The pointers are valid for this call only.
        let count = request.withUnsafeBytes { request in
            answer.withUnsafeMutableBytes { answer in
                clinux_ask_sock_diag(request.baseAddress, request.count, answer.baseAddress, answer.count)
            }
        }
        return count < 0 ? nil : query.userID(in: answer[..<count])
    }
}

extension PeerUser {
    /// A query to sock_diag(7) about one TCP socket, with the parser for the response. The type performs no I/O.
    package struct Query: Equatable, Sendable {
        /// One end of a connection: the address in IPv6's format, and the port.
        private struct Endpoint: Equatable {
            let high: UInt64
            let low: UInt64
            let port: UInt16

            /// Whether the address is a mapped IPv4 address (RFC 4291 §2.5.5.2).
            var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

            /// Returns the four words of `struct inet_diag_sockid`, in network byte order. For IPv4, only the first
            /// word is used.
            func words(asIPv4: Bool) -> [UInt32] {
                if asIPv4 { return [UInt32(truncatingIfNeeded: low), 0, 0, 0] }
                return [
                    UInt32(truncatingIfNeeded: high >> 32), UInt32(truncatingIfNeeded: high),
                    UInt32(truncatingIfNeeded: low >> 32), UInt32(truncatingIfNeeded: low),
                ]
            }
        }

        // The constants come from linux/netlink.h, linux/sock_diag.h and linux/inet_diag.h. These constants are part of
        // the kernel's stable interface.
        private static let headSize = 16
        private static let requestSize = headSize + 56
        private static let answerSize = headSize + 72
        private static let sockDiagByFamily: UInt16 = 20
        private static let isRequest: UInt16 = 1
        /// The states TCP_ESTABLISHED, TCP_FIN_WAIT1, TCP_FIN_WAIT2 and TCP_CLOSE_WAIT. In these states both ends can
        /// exist, and the peer can receive.
        private static let connected: Set<UInt8> = [1, 4, 5, 8]

        private let socket: Endpoint
        private let other: Endpoint

        /// Creates a query about the socket with the address `socket`, which is connected to the address `other`.
        /// Returns nil unless both are IPv4 addresses or both are IPv6 addresses.
        package init?(socket: SocketAddress, connectedTo other: SocketAddress) {
            guard let first = socket.ipv6, let second = other.ipv6 else { return nil }
            self.socket = Endpoint(high: first.high, low: first.low, port: socket.port)
            self.other = Endpoint(high: second.high, low: second.low, port: other.port)
            // Reject mixed families, because a connection has one address family even if its sockets show their
            // addresses in different forms.
            guard self.socket.isIPv4 == self.other.isIPv4 else { return nil }
        }

        /// The encoded request: `struct nlmsghdr` and `struct inet_diag_req_v2`.
        package var bytes: [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(Self.requestSize)
            bytes.append(native: UInt32(Self.requestSize))
            bytes.append(native: Self.sockDiagByFamily)
            bytes.append(native: Self.isRequest)
            bytes.append(native: UInt32(0))  // The sequence number.
            bytes.append(native: UInt32(0))  // The netlink port, which the kernel sets.
            bytes += [UInt8(socket.isIPv4 ? AF_INET : AF_INET6), UInt8(IPPROTO_TCP), 0, 0]
            bytes.append(native: UInt32.max)  // Matches every state.
            bytes.append(native: socket.port.bigEndian)
            bytes.append(native: other.port.bigEndian)
            for word in socket.words(asIPv4: socket.isIPv4) + other.words(asIPv4: socket.isIPv4) {
                bytes.append(native: word.bigEndian)
            }
            bytes.append(native: UInt32(0))  // Matches any interface.
            bytes.append(native: UInt64.max)  // INET_DIAG_NOCOOKIE
            return bytes
        }

        /// Parses a response (`struct nlmsghdr` and `struct inet_diag_msg`) and returns the user id.
        ///
        /// - Returns: nil for an error (NLMSG_ERROR) and for a socket without a process. Also nil for a response about
        ///   another socket, such as a listener on the same port.
        package func userID(in answer: ArraySlice<UInt8>) -> UInt32? {
            guard answer.count >= Self.answerSize, Int(answer.native(at: 0, UInt32.self)) >= Self.answerSize,
                answer.native(at: 4, UInt16.self) == Self.sockDiagByFamily
            else { return nil }
            let message = answer.dropFirst(Self.headSize)
            let isIPv4 = message.native(at: 0, UInt8.self) == UInt8(AF_INET)
            guard isIPv4 || message.native(at: 0, UInt8.self) == UInt8(AF_INET6),
                Self.connected.contains(message.native(at: 1, UInt8.self)),
                Self.endpoint(in: message, port: 4, address: 8, isIPv4) == socket,
                Self.endpoint(in: message, port: 6, address: 24, isIPv4) == other
            else { return nil }
            // The kernel reports user 0 for a closed socket (net/ipv4/inet_diag.c). Such a socket has no inode, so
            // reject a response without an inode.
            guard message.native(at: 68, UInt32.self) != 0 else { return nil }
            return message.native(at: 64, UInt32.self)
        }

        private static func endpoint(in message: ArraySlice<UInt8>, port: Int, address: Int, _ isIPv4: Bool) -> Endpoint
        {
            let words = (0..<4).map { UInt64(UInt32(bigEndian: message.native(at: address + 4 * $0, UInt32.self))) }
            let number = UInt16(bigEndian: message.native(at: port, UInt16.self))
            if isIPv4 { return Endpoint(high: 0, low: 0xffff_0000_0000 | words[0], port: number) }
            return Endpoint(high: words[0] << 32 | words[1], low: words[2] << 32 | words[3], port: number)
        }
    }
}

extension Array where Element == UInt8 {
    /// Appends a number in this machine's byte order.
    fileprivate mutating func append<Number: FixedWidthInteger>(native number: Number) {
        Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
    }
}

extension ArraySlice where Element == UInt8 {
    /// Returns the number at this offset, in this machine's byte order. The caller must check the length.
    fileprivate func native<Number: FixedWidthInteger>(at offset: Int, _ type: Number.Type) -> Number {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
}
