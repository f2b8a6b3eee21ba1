// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventLoop
import Glibc
import HTTPTypes
import TestKit
import Testing

@testable import HTTPClient

@Suite("Kept-alive connections")
final class IdleConnectionsTests {
    private let client: UpstreamClient

    init() throws { client = UpstreamClient(loop: try EventLoop()) }

    deinit { client.stop() }

    private func instance(_ port: UInt16) -> InstanceAddress { InstanceAddress(ip: .loopback, port: port) }

    private func connection(_ port: UInt16) -> UpstreamConnection {
        UpstreamConnection(Socket(owning: -1), to: instance(port), client: client)
    }

    @Test func `the instance's most recently used idle connection is reused first`() {
        var kept = IdleConnections()
        let (first, second, other) = (connection(1), connection(1), connection(2))
        for connection in [first, second, other] { #expect(kept.add(connection) == nil) }

        #expect(kept.removeNewest(instance(1)) === second)
        #expect(kept.removeNewest(instance(1)) === first)
        #expect(kept.removeNewest(instance(1)) == nil)
        #expect(kept.removeNewest(instance(3)) == nil)
        #expect(kept.removeNewest(instance(2)) === other)
        #expect(kept.isEmpty)
    }

    @Test func `idle connections are distinguished by address as well as by port`() throws {
        var kept = IdleConnections()
        let other = InstanceAddress(ip: try #require(IPAddress("::1")), port: 1)
        let (first, second) = (connection(1), UpstreamConnection(Socket(owning: -1), to: other, client: client))
        for connection in [first, second] { #expect(kept.add(connection) == nil) }

        #expect(kept.removeNewest(other) === second)
        #expect(kept.removeNewest(other) == nil)
        #expect(kept.removeNewest(instance(1)) === first)
    }

    @Test func `a full list of idle connections evicts its oldest, regardless of the instance`() {
        var kept = IdleConnections()
        let connections = (0...IdleConnections.most).map { connection(UInt16($0 % 3)) }
        for connection in connections.dropLast() { #expect(kept.add(connection) == nil) }

        #expect(kept.add(connections[IdleConnections.most]) === connections[0])
        #expect(kept.removeAll().count == IdleConnections.most)
        #expect(kept.isEmpty)
    }

    @Test func `removing an idle connection leaves the others in the list`() {
        var kept = IdleConnections()
        let (first, second) = (connection(1), connection(1))
        _ = kept.add(first)
        _ = kept.add(second)
        kept.remove(first)
        kept.remove(first)

        #expect(kept.removeNewest(instance(1)) === second)
        #expect(kept.isEmpty)
    }

    @Test func `all expired idle connections are removed, regardless of their position`() {
        var kept = IdleConnections()
        let rests: [Duration] = [.milliseconds(30), .milliseconds(10), .milliseconds(20)]
        let connections = rests.enumerated().map { index, remainder in
            let connection = connection(UInt16(index % 2))
            connection.becomeIdle(for: remainder)
            _ = kept.add(connection)
            return connection
        }

        #expect(kept.nextExpiry == connections[1].usableUntil)

        let removed = kept.removeAll(expiredAt: connections[2].usableUntil)

        #expect(removed.count == 2)
        #expect(removed.allSatisfy { $0 !== connections[0] })
        #expect(kept.nextExpiry == connections[0].usableUntil)
        #expect(kept.removeNewest(instance(0)) === connections[0])
        #expect(kept.isEmpty)
        #expect(kept.nextExpiry == nil)
    }

    /// Returns an idle connection and the instance's end of the connection.
    private func resting() throws -> (kept: UpstreamConnection, peer: Socket) {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
        let kept = UpstreamConnection(Socket(owning: pair[0]), to: instance(1), client: client)
        kept.becomeIdle(for: .seconds(100))
        return (kept, Socket(owning: pair[1]))
    }

    @Test(
        arguments: [true, false])
    func `an idle connection that has received bytes or has ended is not reused before the next poll`(isEnd: Bool)
        throws
    {
        let (kept, peer) = try resting()

        #expect(kept.isUsable(for: .kept))
        #expect(kept.isUsable(for: .justUsed))

        if isEnd { peer.close() } else { #expect(peer.send([1].span) == .bytes(1)) }

        #expect(!kept.isUsable(for: .kept))
        #expect(!kept.isUsable(for: .justUsed))

        kept.close()
    }

    @Test func `a connection for a request that is never resent is checked again after the loop's poll`() throws {
        let (kept, peer) = try resting()
        let timer = client.loop.timer(Stop(client.loop))
        client.loop.arm(timer, at: .now)
        try client.loop.run()

        #expect(client.loop.hasDelivered(of: 0))
        #expect(kept.isUsable(for: .kept))
        #expect(kept.isUsable(for: .justUsed))
        #expect(peer.send([1].span) == .bytes(1))
        #expect(!kept.isUsable(for: .justUsed))

        kept.close()
    }

    private final class Stop: TimerHandler {
        let loop: EventLoop
        init(_ loop: EventLoop) { self.loop = loop }
        func timerFired(_ timer: LoopTimer) { loop.stop() }
    }

    @Test func `an idle connection is closed after its keep timeout`() throws {
        let ended = Latch("the connection to be closed")
        let server = try TestServer { connection in
            _ = try connection.readRequest()
            try connection.respond(200, text: "answered")
            try connection.waitForEnd()
            ended.open()
        }
        let loop = try EventLoop()
        let client = UpstreamClient(loop: loop, keepTimeout: .seconds(2))
        let request = UpstreamRequest(
            instance: instance(server.port), method: .get, methodName: "GET", target: [UInt8(ascii: "/")],
            fields: FieldList(),
            body: .none)
        let stop = loop.timer(Stop(loop))
        WholeAnswer.send(request, of: client, within: .seconds(20), longestBody: 100) { _ in
            #expect(!client.idle.isEmpty)
            // Timers fire in the order of their deadlines, so the client closes the connection first.
            loop.arm(stop, after: .seconds(2) + .milliseconds(200))
        }
        try loop.run()

        #expect(client.idle.isEmpty)

        try ended.wait()
        client.stop()
        loop.releaseHandlers()
    }
}
