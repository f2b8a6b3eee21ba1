// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Testing

/// Tests the parser for the user at the other end of a connection with messages of sock_diag.
@Suite struct PeerUserMessageTests {
    private static func request(_ socket: (String, UInt16), _ other: (String, UInt16)) throws -> PeerUser.Query {
        let first = try #require(SocketAddress(host: socket.0, port: socket.1))
        let second = try #require(SocketAddress(host: other.0, port: other.1))
        return try #require(PeerUser.Query(socket: first, connectedTo: second))
    }

    /// Returns a response about the socket of a query, with its user, inode, and TCP state.
    private static func answer(
        to query: PeerUser.Query, user: UInt32 = 1000, inode: UInt32 = 7, state: UInt8 = 1, type: UInt16 = 20
    ) -> [UInt8] {
        let request = query.bytes
        var bytes = native(UInt32(88)) + native(type) + native(UInt16(0)) + native(UInt32(0)) + native(UInt32(9))
        bytes += [request[16], state, 0, 0]
        bytes += request[24..<72]
        bytes += native(UInt32(0)) + native(UInt32(0)) + native(UInt32(0)) + native(user) + native(inode)
        return bytes
    }

    private static func native<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    @Test func `a request names an IPv4 socket by both addresses and ports`() throws {
        let query = try Self.request(("127.0.0.1", 0x1234), ("127.0.0.2", 0x5678))

        let bytes = query.bytes

        #expect(bytes.count == 72)

        let head = Self.native(UInt32(72)) + Self.native(UInt16(20)) + Self.native(UInt16(1)) + Self.native(UInt64(0))

        #expect(bytes[..<16] == head[...])
        #expect(bytes[16..<24] == [UInt8(AF_INET), 6, 0, 0, 255, 255, 255, 255])
        #expect(bytes[24..<28] == [0x12, 0x34, 0x56, 0x78])
        #expect(bytes[28..<44] == [127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(bytes[44..<60] == [127, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(bytes[60...] == [0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255])
    }

    @Test func `a request names an IPv6 socket by its whole address`() throws {
        let query = try Self.request(("::1", 1), ("::1", 2))

        let bytes = query.bytes

        #expect(bytes[16] == UInt8(AF_INET6))
        #expect(bytes[28..<44] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
        #expect(bytes[44..<60] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    }

    @Test func `a mapped IPv4 address is requested as IPv4`() throws {
        let mapped = try Self.request(("::ffff:127.0.0.1", 1), ("::ffff:127.0.0.1", 2))
        let plain = try Self.request(("127.0.0.1", 1), ("127.0.0.1", 2))

        #expect(mapped == plain)
        #expect(mapped.bytes == plain.bytes)
    }

    @Test func `no request is built for two addresses of different families`() throws {
        let first = try #require(SocketAddress(host: "127.0.0.1", port: 1))
        let second = try #require(SocketAddress(host: "::1", port: 2))

        #expect(PeerUser.Query(socket: first, connectedTo: second) == nil)
    }

    @Test(arguments: ["127.0.0.1", "::1"]) func `a response contains the user`(host: String) throws {
        let query = try Self.request((host, 1), (host, 2))

        #expect(query.userID(in: Self.answer(to: query)[...]) == 1000)
        #expect(query.userID(in: Self.answer(to: query, user: 0)[...]) == 0)
    }

    @Test func `the response for an IPv4 connection of an IPv6 socket has mapped addresses`() throws {
        let query = try Self.request(("127.0.0.1", 1), ("127.0.0.1", 2))
        var answer = Self.answer(to: query)
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1]

        answer[16] = UInt8(AF_INET6)
        answer.replaceSubrange(24..<40, with: mapped)
        answer.replaceSubrange(40..<56, with: mapped)

        #expect(query.userID(in: answer[...]) == 1000)
    }

    @Test func `a socket that no process holds has no user`() throws {
        let query = try Self.request(("127.0.0.1", 1), ("127.0.0.1", 2))

        #expect(query.userID(in: Self.answer(to: query, user: 0, inode: 0)[...]) == nil)
    }

    @Test(arguments: [1, 4, 5, 8]) func `a socket that is connected has a user`(state: UInt8) throws {
        let query = try Self.request(("127.0.0.1", 1), ("127.0.0.1", 2))

        #expect(query.userID(in: Self.answer(to: query, state: state)[...]) == 1000)
    }

    @Test(arguments: [0, 2, 3, 6, 7, 9, 10, 11, 12]) func `a socket that is not connected has no user`(state: UInt8)
        throws
    {
        let query = try Self.request(("127.0.0.1", 1), ("127.0.0.1", 2))

        #expect(query.userID(in: Self.answer(to: query, state: state)[...]) == nil)
    }

    @Test func `a response about another socket is ignored`() throws {
        let query = try Self.request(("127.0.0.1", 1), ("127.0.0.1", 2))
        let others = [
            try Self.request(("127.0.0.1", 2), ("127.0.0.1", 1)),
            try Self.request(("127.0.0.1", 1), ("127.0.0.1", 0)),
            try Self.request(("127.0.0.2", 1), ("127.0.0.1", 2)), try Self.request(("::1", 1), ("::1", 2)),
        ]

        for other in others { #expect(query.userID(in: Self.answer(to: other)[...]) == nil) }
    }

    @Test func `an error or a truncated response yields no user`() throws {
        let query = try Self.request(("127.0.0.1", 1), ("127.0.0.1", 2))
        let answer = Self.answer(to: query)

        #expect(query.userID(in: Self.answer(to: query, type: 2)[...]) == nil)

        for count in answer.indices { #expect(query.userID(in: answer[..<count]) == nil) }
    }
}

/// Tests the query to the kernel for the user at the other end of a connection.
@Suite struct PeerUserTests {
    /// A connection to a listener at `host`, with the listener's end of it.
    private struct Pair {
        let client: Int32
        let server: Int32

        init(_ host: String, through address: String? = nil, user: UInt32? = nil) throws {
            let listener = try Listener(on: #require(SocketAddress(host: host, port: 0)))
            let target = try #require(
                SocketAddress(host: address ?? listener.address.host, port: listener.address.port))
            client = try Socket.connecting(to: target).release()
            if let user { try #require(fchown(client, user, user) == 0) }
            try waitUntilReady(listener.descriptor, for: .readable)
            guard case .connection(let descriptor, _) = listener.accept() else {
                throw SystemCallError(call: "accept", code: EAGAIN)
            }
            server = descriptor
        }

        func close() {
            Glibc.close(client)
            Glibc.close(server)
        }
    }

    @Test(
        arguments: [
            ("127.0.0.1", nil), ("::1", nil), ("::ffff:127.0.0.1", nil), ("::", "127.0.0.1"), ("::", "::1"),
            ("127.0.0.1", "::ffff:127.0.0.1"),
        ] as [(String, String?)])
    func `the user of a connection of this process is its own`(host: String, through: String?) throws {
        let pair = try Pair(host, through: through)
        defer { pair.close() }

        #expect(PeerUser.id(ofPeerOf: pair.server) == geteuid())
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can give a socket to another user"),
        arguments: ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
    func `the user of another user's connection is the other user`(host: String) throws {
        let pair = try Pair(host, user: 65534)
        defer { pair.close() }

        #expect(PeerUser.id(ofPeerOf: pair.server) == 65534)
    }

    @Test(arguments: ["127.0.0.1", "::1"]) func `a peer that has closed has no user`(host: String) throws {
        let pair = try Pair(host)
        defer { Glibc.close(pair.server) }

        Glibc.close(pair.client)
        try waitUntilReady(pair.server, for: .peerClosed)

        #expect(PeerUser.id(ofPeerOf: pair.server) == nil)
    }

    @Test func `a peer that has only shut down its sending side has a user`() throws {
        let pair = try Pair("127.0.0.1")
        defer { pair.close() }

        shutdown(pair.client, Int32(SHUT_WR))
        try waitUntilReady(pair.server, for: .peerClosed)

        #expect(PeerUser.id(ofPeerOf: pair.server) == geteuid())
    }

    @Test func `a descriptor that is not a connected TCP socket has no peer with a user`() throws {
        let listener = try Listener(on: loopback)

        #expect(PeerUser.id(ofPeerOf: listener.descriptor) == nil)
        #expect(PeerUser.id(ofPeerOf: try SocketOptions.closedPeer()) == nil)
        #expect(PeerUser.id(ofPeerOf: -1) == nil)
    }
}
