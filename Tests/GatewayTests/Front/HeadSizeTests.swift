// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that heads up to the limit are accepted in any fragmentation, and that longer heads are rejected with 431 (RFC
/// 6585 §5).
@Suite(.onTestThreads) struct HeadSizeTests {
    private static func head(fieldOf size: Int) -> String {
        RequestText.head(
            "GET /projects/demo/api/x HTTP/1.1", ["X-Long: " + String(repeating: "a", count: size)])
    }

    @Test func `a head of 15 KiB is accepted`() throws {
        let instance = try FakeOpenCode.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()

        // The requests share one connection, because a large head must not affect the next request.
        for size in [15 * 1024, 10, 12 * 1024, 15 * 1024] {
            try connection.write(Self.head(fieldOf: size))
            #expect(try ResponseReader(connection).readAll().text == "answered")
            #expect(instance.requests.values.last?.value(of: "X-Long")?.count == size)
        }
    }

    @Test func `a head of 15 KiB in many fragments is accepted`() throws {
        let instance = try FakeOpenCode.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()

        for _ in 0..<2 {
            for fragment in Array(Self.head(fieldOf: 15 * 1024).utf8).fragments(of: 301) {
                try connection.write(fragment)
                try connection.pause(.milliseconds(1))
            }
            #expect(try ResponseReader(connection).readAll().text == "answered")
        }
    }

    @Test func `a target of 15 kB is accepted`() throws {
        let instance = try FakeOpenCode.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let target = "/" + String(repeating: "%2F", count: 5000)

        #expect(try gateway.request("GET", "/projects/demo/api" + target).text == "answered")
        #expect(instance.requests.values.last?.target == target)
    }

    @Test func `a head with 200 fields is accepted`() throws {
        let instance = try FakeOpenCode.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let fields = (0..<200).map { ("X-Field-\($0)", "\($0)") }

        #expect(
            try gateway.request("GET", "/projects/demo/api/x", headers: fields).text == "answered")

        let received = try #require(instance.requests.values.last).fields.filter { $0.name.hasPrefix("X-Field") }

        #expect(received == fields.map { TestField($0.0, $0.1) })
    }

    /// The connection's memory also holds a record for each field (``ServerLimits/poolSize``).
    @Test func `a head with more fields than fit in the connection's memory is rejected with 431`() throws {
        let fixture = try RefusalFixture()
        let fields = (0..<2000).map { "x:\($0)" }
        try fixture.expectRefusal(RequestText.head("GET /projects/demo/api/x HTTP/1.1", fields), 431)
        try fixture.expectNothingGotThrough()
    }

    @Test func `a head just above the limit is rejected with 431, which names --max-head`() throws {
        let fixture = try RefusalFixture()

        try fixture.expectRefusal(
            Self.head(fieldOf: 16 * 1024), 431,
            detail:
                "The request line and header fields are larger than 16384 bytes (--max-head). Send fewer or shorter fields."
        )

        try fixture.expectNothingGotThrough()
    }

    @Test func `--max-head limits the size of the whole head to the byte`() throws {
        let fixture = try RefusalFixture(flags: ["--max-head", "1KiB"])
        let remainder = RequestText.head("GET /projects/demo/api/x HTTP/1.1", ["X-Long: "]).utf8.count

        #expect(
            try fixture.gateway.exchange(Self.head(fieldOf: 1024 - remainder)).status == 200)
        #expect(
            try fixture.gateway.exchange(Self.head(fieldOf: 1025 - remainder)).status == 431)
    }

    @Test func `a head far above the limit is rejected, whichever part is too long`() throws {
        let fixture = try RefusalFixture()
        let long = String(repeating: "a", count: 200 * 1024)
        for head in [
            RequestText.head("GET /projects/demo/api/x HTTP/1.1", ["X-Long: \(long)"]),
            RequestText.head("GET /projects/demo/api/x HTTP/1.1", ["\(long): a"]),
            RequestText.head(
                "GET /projects/demo/api/x HTTP/1.1", (0..<9000).map { "X-Field-\($0): a" }),
        ] {
            let status = try fixture.statusOfLongHead(head)
            #expect(status == 431, "\(head.prefix(200).debugDescription)")
        }
        let target = try fixture.statusOfLongHead(RequestText.head("GET /projects/demo/api/\(long) HTTP/1.1"))

        #expect(target == 414 || target == 431)

        try fixture.expectNothingGotThrough()
    }
}

extension RefusalFixture {
    /// Returns the status of the response to a head that may be rejected before it is written completely; nil if the
    /// connection ended without a response.
    fileprivate func statusOfLongHead(_ head: String) throws -> Int? {
        let connection = try gateway.connect()
        defer { connection.close() }
        // The gateway does not read the remainder of a refused head. The resulting reset must not hide the response.
        try? connection.write(head + RequestText.smuggled)
        return try connection.readRawAnswer().statuses.first
    }
}

extension Array {
    fileprivate func fragments(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min(count, $0 + size)] }
    }
}
