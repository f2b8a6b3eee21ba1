import Glibc
import TestKit
import Testing

/// `GET /check/stream`: comments that arrive as they are sent, unless something on the way collects them.
@Suite struct CheckStreamTests {
    private static let path = "/check/stream"

    @Test func fiveCommentsArriveOneByOneAndTheEndIsClean() throws {
        let gateway = try GatewayUnderTest()
        let events = try TestClient.events(gateway.port, Self.path, headers: [GatewayUnderTest.authorization])
        var times: [ContinuousClock.Instant] = []
        for number in 1...5 {
            #expect(try events.nextBlock() == ": \(number)")
            times.append(.now)
        }
        #expect(try events.nextBlock() == nil)
        #expect(events.response.ending == .complete)
        // A timer is never early; what comes together was collected.
        for index in 1..<5 { #expect(times[index] - times[index - 1] > .milliseconds(20)) }
        #expect(times[4] - times[0] > .milliseconds(700))
        #expect(String(decoding: events.raw, as: UTF8.self) == ": 1\n\n: 2\n\n: 3\n\n: 4\n\n: 5\n\n")
    }

    @Test func itsHeadLetsNobodyKeepItAndAsksNobodyNotToCollectIt() throws {
        let gateway = try GatewayUnderTest()
        let answer = try gateway.request("GET", Self.path)
        #expect(answer.status == 200)
        #expect(answer.values(of: "Content-Type") == ["text/event-stream"])
        #expect(answer.values(of: "Cache-Control") == ["no-store"])
        #expect(answer.values(of: "X-Accel-Buffering").isEmpty)
        #expect(answer.values(of: "Date").count == 1)
        let head = try gateway.request("HEAD", Self.path)
        #expect(head.status == 200)
        #expect(head.values(of: "Content-Type") == ["text/event-stream"])
        #expect(head.body.isEmpty)
    }

    @Test func itNeedsAKey() throws {
        let gateway = try GatewayUnderTest()
        let answer = try TestClient.request(gateway.port, "GET", Self.path)
        #expect(answer.status == 401)
        #expect(answer.values(of: "WWW-Authenticate") == ["Bearer"])
        #expect(try gateway.request("POST", Self.path).status == 405)
    }

    @Test func itsLogLineHasWhatWasSent() throws {
        let gateway = try GatewayUnderTest()
        #expect(try gateway.request("GET", Self.path).body.count == 25)
        try gateway.waitForLog(#""path":"/check/stream","status":200,"bytes":25"#)
    }

    @Test func whoLeavesEndsIt() throws {
        let gateway = try GatewayUnderTest()
        let connection = try gateway.connect()
        try connection.send("GET", Self.path, headers: [GatewayUnderTest.authorization])
        #expect(try EventStreamReader(connection).nextBlock() == ": 1")
        connection.close()
        try gateway.waitForLog(#""path":"/check/stream","status":200,"bytes":"#)
        #expect(!gateway.log.contains { $0.contains(#""bytes":25"#) })
        #expect(try gateway.request("GET", "/health").status == 200)
    }

    @Test func anEndingGatewayBreaksItOff() throws {
        let gateway = try GatewayUnderTest()
        let events = try TestClient.events(gateway.port, Self.path, headers: [GatewayUnderTest.authorization])
        #expect(try events.nextBlock() == ": 1")
        gateway.process.terminate()
        do {
            while try events.nextBlock() != nil {}
            #expect(events.response.ending == .truncated || events.response.ending == .reset)
        } catch TestKitError.closed {
            // Cut between two chunks: no last chunk has come.
        }
        #expect(events.raw.count < 25)
        #expect(try gateway.process.waitForExit() == .exited(0))
    }
}
