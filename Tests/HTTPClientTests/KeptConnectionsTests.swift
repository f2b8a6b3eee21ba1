import EventLoop
import HTTPTypes
import TestKit
import Testing

@testable import HTTPClient

@Suite("Connections that are kept alive")
final class KeptConnectionsTests {
    private let client: UpstreamClient

    init() throws { client = try UpstreamClient(loop: EventLoop()) }

    deinit { client.stop() }

    private func connection(_ port: UInt16) -> UpstreamSocket {
        UpstreamSocket(Socket(owning: -1), port: port, client: client)
    }

    @Test("The one that was used last comes first, of the wanted instance only")
    func order() {
        var kept = KeptConnections()
        let (first, second, other) = (connection(1), connection(1), connection(2))
        for connection in [first, second, other] { #expect(kept.add(connection) == nil) }
        #expect(kept.take(1) === second && kept.take(1) === first && kept.take(1) == nil)
        #expect(kept.take(3) == nil && kept.take(2) === other && kept.isEmpty)
    }

    @Test("Beyond their number the oldest gives way, whoever's it is")
    func most() {
        var kept = KeptConnections()
        let connections = (0...KeptConnections.most).map { connection(UInt16($0 % 3)) }
        for connection in connections.dropLast() { #expect(kept.add(connection) == nil) }
        #expect(kept.add(connections[KeptConnections.most]) === connections[0])
        #expect(kept.removeAll().count == KeptConnections.most && kept.isEmpty)
    }

    @Test("One that is of no use any more is taken out, and no other")
    func remove() {
        var kept = KeptConnections()
        let (first, second) = (connection(1), connection(1))
        _ = kept.add(first)
        _ = kept.add(second)
        kept.remove(first)
        kept.remove(first)
        #expect(kept.take(1) === second && kept.isEmpty)
    }

    @Test("Those whose time is over are taken out, wherever they stand")
    func expiry() {
        var kept = KeptConnections()
        let rests: [Duration] = [.milliseconds(30), .milliseconds(10), .milliseconds(20)]
        let connections = rests.enumerated().map { index, rest in
            let connection = connection(UInt16(index % 2))
            connection.rest(for: rest)
            _ = kept.add(connection)
            return connection
        }
        #expect(kept.nextExpiry == connections[1].usableUntil)
        let removed = kept.removeAll(expiredAt: connections[2].usableUntil)
        #expect(removed.count == 2 && removed.allSatisfy { $0 !== connections[0] })
        #expect(kept.nextExpiry == connections[0].usableUntil)
        #expect(kept.take(0) === connections[0] && kept.isEmpty && kept.nextExpiry == nil)
    }

    private final class Stop: TimerHandler {
        let loop: EventLoop
        init(_ loop: EventLoop) { self.loop = loop }
        func timerFired(_ timer: LoopTimer) { loop.stop() }
    }

    @Test("One that nobody needs is closed when its time is over")
    func timeout() throws {
        let ended = Latch("the connection to be closed")
        let server = try TestServer { connection in
            _ = try connection.readRequest()
            try connection.respond(200, text: "answered")
            try connection.waitForEnd()
            ended.open()
        }
        let loop = try EventLoop()
        let client = try UpstreamClient(loop: loop, keepTimeout: .seconds(2))
        let request = UpstreamRequest(
            port: server.port, method: .get, methodName: "GET", target: [UInt8(ascii: "/")], fields: FieldList(),
            body: .none)
        // Timers fire in their order.
        let stop = loop.timer(Stop(loop))
        WholeAnswer.ask(request, of: client, within: .seconds(20), longestBody: 100) { _ in
            #expect(!client.keptConnections.isEmpty)
            loop.arm(stop, after: .seconds(2) + .milliseconds(200))
        }
        try loop.run()
        #expect(client.keptConnections.isEmpty)
        try ended.wait()
        client.stop()
        loop.letGo()
    }
}
