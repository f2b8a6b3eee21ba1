// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestKit
import Testing

@Suite("Listening sockets")
struct ListenerTests {
    @Test func `a listener reports the port that the kernel has chosen`() throws {
        let listener = try Listener(on: loopback)

        #expect(listener.address.port != 0)
        #expect(listener.address.description == "127.0.0.1:\(listener.address.port)")
    }

    @Test func `clients are accepted one after the other with their addresses`() throws {
        let listener = try Listener(on: loopback)

        for _ in 0..<3 {
            let client = try TestClient.connect(port: listener.address.port)
            let (socket, peer) = try accepted(by: listener)
            #expect(peer.host == "127.0.0.1")
            #expect(peer.port == client.localPort)
            #expect(socket.send(Array("hi".utf8).span) == .bytes(2))
            #expect(try client.readExactly(2) == Array("hi".utf8))
        }
    }

    @Test func `an accepted connection is non-blocking and is not inherited by child processes`() throws {
        let listener = try Listener(on: loopback)
        let client = try TestClient.connect(port: listener.address.port)
        let (socket, _) = try accepted(by: listener)

        #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(listener.descriptor, F_GETFD) & FD_CLOEXEC != 0)

        client.close()
    }

    @Test func `accepting returns at once when no client is waiting`() throws {
        let listener = try Listener(on: loopback)
        guard case .noClient = listener.accept() else {
            Issue.record("a connection was waiting")
            return
        }
    }

    @Test func `several listeners share one port`() throws {
        let first = try Listener(on: loopback)
        let second = try Listener(on: first.address)

        #expect(second.address.port == first.address.port)
    }

    @Test func `a port with a listener is reported as in use`() throws {
        // No other test uses this address. On a shared address, another test could get the port as soon as it is free.
        let own = try #require(SocketAddress(host: "127.0.0.55", port: 0))
        let address: SocketAddress
        do {
            let listener = try Listener(on: own)
            address = listener.address
            let error = #expect(throws: SystemCallError.self) { try Listener.requireUnused(address) }
            #expect(error?.call == "bind")
            #expect(error?.code == EADDRINUSE)
            // A program that another test starts has a copy of the descriptor between fork and exec. If the descriptor
            // were only closed, that copy would continue to listen.
            #expect(shutdown(listener.descriptor, Int32(SHUT_RDWR)) == 0)
        }

        try Listener.requireUnused(address)
    }

    @Test func `listening on another machine's address throws an error with the call and the reason`() throws {
        // The address is reserved for documentation, so no machine has it (RFC 5737).
        let address = try #require(SocketAddress(host: "192.0.2.1", port: 0))
        let error = #expect(throws: SystemCallError.self) { try Listener(on: address) }

        #expect(error?.description == "bind: Cannot assign requested address")
    }

    @Test(
        arguments: [
            ("192.0.2.1", 0, 0xffff_c000_0201), ("255.255.255.255", 0, 0xffff_ffff_ffff),
            ("0.0.0.0", 0, 0xffff_0000_0000),
            ("::ffff:192.0.2.1", 0, 0xffff_c000_0201), ("::", 0, 0), ("::1", 0, 1),
            ("2001:db8::a:1", 0x2001_0db8_0000_0000, 0xa_0001),
        ] as [(String, UInt64, UInt64)])
    func `an address is converted to two numbers, with IPv4 mapped into IPv6 (RFC 4291)`(
        host: String, high: UInt64, low: UInt64
    ) throws {
        let address = try #require(SocketAddress(host: host, port: 4096)?.ipv6)

        #expect(address == (high, low))
        #expect(SocketAddress(ipv6: (high, low), port: 80).ipv6.map { $0 == (high, low) } == true)
    }

    @Test(
        arguments: [
            ("127.0.0.1", 4000, "127.0.0.1:4000", AF_INET), ("0.0.0.0", 0, "0.0.0.0:0", AF_INET),
            ("::1", 65535, "[::1]:65535", AF_INET6), ("::", 80, "[::]:80", AF_INET6),
        ] as [(String, UInt16, String, Int32)])
    func `an address is formatted as its host and port, with an IPv6 host in brackets`(
        host: String, port: UInt16, text: String, family: Int32
    ) throws {
        let address = try #require(SocketAddress(host: host, port: port))

        #expect(address.description == text)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.family == family)
    }
}
