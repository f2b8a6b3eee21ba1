// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Opens connections to a server on a loopback address.
package enum TestClient {
    /// Returns a new connection. To limit the window from the start, specify a receive buffer.
    ///
    /// - Parameter user: The owner of the socket instead of the user of this process. Only root can set it (fchown(2)).
    /// - Throws: `system("connect", ECONNREFUSED)` if no server listens.
    package static func connect(
        port: UInt16, on loopback: Loopback = .ipv4, receiveBuffer: Int? = nil, user: UInt32? = nil,
        within limit: Duration = TestConnection.defaultLimit
    ) throws -> TestConnection {
        let descriptor = try SocketAddress.makeSocket(loopback)
        do {
            if let receiveBuffer {
                SocketOption.set(descriptor, level: SOL_SOCKET, option: SO_RCVBUF, to: Int32(clamping: receiveBuffer))
            }
            if let user { _ = try SystemCall.check("fchown") { fchown(descriptor, user, user) } }
            try connect(descriptor, to: loopback, port: port, until: Deadline(after: limit))
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
        return TestConnection(owning: descriptor)
    }

    /// Returns a new connection to a server at an IPv4 address. The kernel's own timeout is the time limit.
    package static func connect(to address: String, port: UInt16) throws -> TestConnection {
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = port.bigEndian
        guard inet_pton(AF_INET, address, &target.sin_addr) == 1 else {
            throw TestKitError.system(operation: "inet_pton \(address)", code: EINVAL)
        }
        let descriptor = try SystemCall.check("socket") {
            socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        do {
            _ = try SystemCall.check("connect to \(address)") {
                withUnsafePointer(to: &target) { pointer in
                    // sockaddr_in begins with the same members as sockaddr.
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
            }
            let flags = try SystemCall.check("fcntl") { fcntl(descriptor, F_GETFL) }
            _ = try SystemCall.check("fcntl") { fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
        return TestConnection(owning: descriptor)
    }

    private static func connect(
        _ descriptor: Int32, to loopback: Loopback, port: UInt16, until deadline: Deadline
    ) throws {
        let flags = try SystemCall.check("fcntl") { fcntl(descriptor, F_GETFL) }
        _ = try SystemCall.check("fcntl") { fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
        let result = SocketAddress.withLoopback(loopback, port: port) {
            Glibc.connect(descriptor, $0, $1) == 0 ? 0 : errno
        }
        if result == EINPROGRESS || result == EINTR {
            var descriptors = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
            if try !SystemCall.wait(&descriptors, until: deadline) {
                throw TestKitError.timedOut(after: deadline.limit, waitingFor: "a connection to port \(port)")
            }
            var code: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
            if code != 0 { throw TestKitError.system(operation: "connect to port \(port)", code: code) }
        } else if result != 0 {
            throw TestKitError.system(operation: "connect to port \(port)", code: result)
        }
        _ = try SystemCall.check("fcntl") { fcntl(descriptor, F_SETFL, flags) }
    }
}
