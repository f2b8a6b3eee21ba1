// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests `GET /check/stream`, whose comments arrive as they are sent, unless an intermediary buffers them.
@Suite(.onTestThreads) struct CheckStreamTests {
    private static let path = "/check/stream"

    @Test func `/check/stream sends five comments one by one and ends cleanly`() throws {
        let gateway = try GatewayUnderTest()
        // On a busy machine, the reader may have to wait for the processor, so three attempts are allowed.
        var haveComeApart = false
        for _ in 1...3 where !haveComeApart {
            let start = ContinuousClock.now
            let events = try TestClient.events(port: gateway.port, Self.path, headers: [GatewayUnderTest.authorization])
            var times: [ContinuousClock.Instant] = []
            for number in 1...5 {
                #expect(try events.nextBlock() == ": \(number)")
                times.append(.now)
            }
            #expect(try events.nextBlock() == nil)
            #expect(events.response.ending == .complete)
            #expect(String(decoding: events.raw, as: UTF8.self) == ": 1\n\n: 2\n\n: 3\n\n: 4\n\n: 5\n\n")
            // A timer never fires early.
            #expect(.now - start > .milliseconds(950))
            haveComeApart = zip(times, times.dropFirst()).allSatisfy { $1 - $0 > .milliseconds(50) }
        }

        #expect(haveComeApart)
    }

    @Test func `/check/stream has the header fields of an event stream`() throws {
        let gateway = try GatewayUnderTest()
        let answer = try gateway.request("GET", Self.path)

        #expect(answer.status == 200)
        #expect(answer.values(of: "Content-Type") == ["text/event-stream"])
        #expect(answer.values(of: "Cache-Control") == ["no-cache, no-transform"])
        #expect(answer.values(of: "X-Accel-Buffering") == ["no"])
        #expect(answer.values(of: "Date").count == 1)

        let head = try gateway.request("HEAD", Self.path)

        #expect(head.status == 200)
        #expect(head.values(of: "Content-Type") == ["text/event-stream"])
        #expect(head.body.isEmpty)
    }

    @Test func `with end=abort the stream is aborted after two comments`() throws {
        let gateway = try GatewayUnderTest()

        let events = try TestClient.events(
            port: gateway.port, "\(Self.path)?end=abort", headers: [GatewayUnderTest.authorization])
        let comments = try [events.nextBlock(), events.nextBlock(), events.nextBlock()]

        #expect(comments == [": 1", ": 2", nil])
        #expect(events.response.ending == .truncated || events.response.ending == .reset)
    }

    @Test func `/check/stream needs a key`() throws {
        let gateway = try GatewayUnderTest()
        let answer = try TestClient.request(port: gateway.port, "GET", Self.path)

        #expect(answer.status == 401)
        #expect(answer.values(of: "WWW-Authenticate") == ["Bearer"])
        #expect(try gateway.request("POST", Self.path).status == 405)
    }

    @Test func `the access log line of /check/stream has the number of bytes sent`() throws {
        let gateway = try GatewayUnderTest()

        #expect(try gateway.request("GET", Self.path).body.count == 25)

        try gateway.waitForLog(#""path":"/check/stream","status":200,"bytes":25"#)
    }
}
