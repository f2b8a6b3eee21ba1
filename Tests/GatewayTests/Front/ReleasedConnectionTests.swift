// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests that for any input, a client's connection and descriptor are released soon after either side has ended it.
/// Most of these tests concern libmicrohttpd 0.9.75, which leaks connections when it has no room to read from them.
@Suite(.onTestThreads, .serialized) struct ReleasedConnectionTests {
    private static let chunked = "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    /// The chunk size lines that are too long for the memory that the gateway reserves for them.
    enum LongLine: CaseIterable {
        case `extension`, zeros, extensionOfTheSecondChunk

        var text: String {
            switch self {
            case .extension: "5;" + String(repeating: "x", count: 22_000)
            case .zeros: String(repeating: "0", count: 40_000)
            case .extensionOfTheSecondChunk: "5\r\nhello\r\n5;" + String(repeating: "x", count: 22_000)
            }
        }
    }

    @Test(arguments: LongLine.allCases) func `an over-long chunk line is rejected at once`(line: LongLine) throws {
        let gateway = try GatewayUnderTest()
        let start = ContinuousClock.now

        let answer = try gateway.raw(Self.head("POST /projects/demo/api/x HTTP/1.1") + line.text)

        #expect(Self.isRefusal(answer))
        #expect(answer.ending == .closed || MessageLibrary.isStrict)
        #expect(.now - start < .seconds(5))
    }

    @Test func `an over-long chunk line after a large upload ends the instance's request`() throws {
        let sawEnd = Latch("the instance to see the truncated request")
        let instance = try FakeOpenCode().start { connection, head in
            do { _ = try connection.readBody(of: head) } catch {
                sawEnd.open()
                throw error
            }
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.write(Self.head("POST /projects/demo/api/x HTTP/1.1"))
        try connection.writeChunk([UInt8](repeating: 0x61, count: 300_000))
        _ = try instance.requests.wait(forCount: 1)

        try connection.write(LongLine.extension.text)

        let answer = try connection.readRawAnswer()

        #expect(Self.isRefusal(answer))

        try sawEnd.wait()
    }

    @Test(arguments: LongLine.allCases) func `connections that end in an over-long chunk line are released`(
        line: LongLine
    ) throws {
        let gateway = try GatewayUnderTest()
        let remainder = try RemainingBody(of: gateway)

        for _ in 0..<100 {
            let connection = try gateway.connect()
            try connection.write(Self.chunked + line.text)
            connection.close()
        }

        try remainder.expectReturn(within: .seconds(2))

        #expect(try gateway.request("GET", "/health").status == 200)
    }

    /// The library's memory use depends on the size of the head. One of these heads fills it to the last byte.
    @Test func `a chunk line of any length is released with its connection`() throws {
        let gateway = try GatewayUnderTest()
        let remainder = try RemainingBody(of: gateway)

        for length in stride(from: 16_000, to: 21_000, by: 8) {
            let connection = try gateway.connect()
            try connection.write(Self.chunked + "5;" + String(repeating: "x", count: length))
            connection.close()
        }

        try remainder.expectReturn(within: .seconds(2))
    }

    /// No bytes follow the line that fits to the last byte. Only the library's request for an immediate run reveals
    /// that state.
    @Test func `a loop is idle when a line fills the memory exactly and its client waits`() throws {
        let gateway = try GatewayUnderTest()
        let remainder = try RemainingBody(of: gateway)
        let connections = try (19_900..<20_400).map { length in
            let connection = try gateway.connect()
            try connection.write(
                Self.head("POST /projects/demo/api/x HTTP/1.1") + "5;" + String(repeating: "x", count: length))
            return connection
        }
        try connections[0].pause(.seconds(1))

        try remainder.expectNoWork()

        for connection in connections { connection.close() }
        try remainder.expectReturn(within: .seconds(2))
    }

    /// A loop checks chunked uploads every 50 ms. libmicrohttpd 0.9.75 closes such a connection after the response, and
    /// later releases keep it.
    @Test func `a loop is idle after a kept-alive connection has sent a chunked body and another request`() throws {
        let gateway = try GatewayUnderTest()
        let remainder = try RemainingBody(of: gateway)

        for _ in 0..<20 {
            let connection = try gateway.connect()
            try connection.write(
                Self.chunked + "1\r\nx\r\n0\r\n\r\n" + "GET /health HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            _ = try connection.readRawAnswer()
            connection.close()
        }

        try remainder.expectReturn(within: .seconds(2))
        try remainder.expectRest()
    }

    @Test func `a query with many parameters is served like any other`() throws {
        let gateway = try GatewayUnderTest(flags: ["--head-timeout", "1min"])

        for query in [String(repeating: "&", count: 400), String(repeating: "a=b&", count: 3_000)] {
            let connection = try gateway.connect()
            try connection.write(
                "GET /health?\(query) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            let answer = try connection.readRawAnswer(within: .seconds(10))
            #expect(answer.statuses == [200])
        }
    }

    @Test func `a query with many parameters reaches the instance as it was sent`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200, text: "answered") }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let query = (0..<1_000).map { "p\($0)=%26+\($0)" }.joined(separator: "&")

        let answer = try gateway.request("GET", "/projects/demo/api/x?\(query)")

        #expect(answer.text == "answered")
        #expect(instance.requests.values.map(\.target) == ["/x?\(query)"])
    }

    @Test func `SIGTERM ends the gateway even if connections hold over-long chunk lines`() throws {
        let gateway = try GatewayUnderTest(flags: ["--drain-timeout", "1s"])
        let connections = try (0..<20).map { _ in
            let connection = try gateway.connect()
            try connection.write(Self.chunked + LongLine.extension.text)
            return connection
        }

        gateway.process.terminate()

        #expect(try gateway.process.waitForExit(within: .seconds(5)) == .exited(0))

        for connection in connections { connection.close() }
    }

    /// `RANDOM_EXCHANGES` sets the number of exchanges, and `RANDOM_SEED` selects another series.
    @Test func `random exchanges that end at any point leave no connection or descriptor open`() throws {
        let instance = try FakeOpenCode.answering()
        let gateway = try GatewayUnderTest(flags: ["--drain-timeout", "2s", "--log-level", "error"])
        try gateway.start(instance)
        _ = try gateway.request("GET", "/projects/demo/api/x")
        let remainder = try RemainingBody(of: gateway)
        var exchanges = RandomExchanges(seed: Self.number("RANDOM_SEED") ?? 33)

        for _ in 0..<(Self.number("RANDOM_EXCHANGES") ?? 2_000) {
            let exchange = exchanges.next()
            let connection = try gateway.connect()
            // The gateway may refuse the request and close the connection before the write completes.
            for fragment in exchange.fragments { try? connection.write(fragment, within: .seconds(10)) }
            switch exchange.ending {
            case .close: connection.close()
            case .reset: connection.reset()
            case .halfClose:
                try? connection.shutdownWrite()
                _ = try? connection.read(within: .milliseconds(5))
                connection.close()
            }
        }

        try remainder.expectReturn(within: .seconds(5))

        #expect(try gateway.request("GET", "/projects/demo/api/x").text == "answered")
        #expect(try gateway.terminate(within: .seconds(8)) == .exited(0))
    }

    /// libmicrohttpd 1.0.1 closes the connection without a response if an extension is too long.
    private static func isRefusal(_ answer: RawAnswer) -> Bool {
        answer.statuses == [413] || answer.statuses == [400] || MessageLibrary.isStrict && answer.statuses.isEmpty
    }

    private static func head(_ line: String) -> String {
        RequestText.head(line, ["Transfer-Encoding: chunked"])
    }

    private static func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
        getenv(name).flatMap { Number(String(cString: $0)) }
    }
}

/// The idle state of the gateway before the test: the number of descriptors that it must return to.
private struct RemainingBody {
    private let gateway: GatewayUnderTest
    private let descriptors: Int

    init(of gateway: GatewayUnderTest) throws {
        self.gateway = gateway
        // Descriptors that the gateway opens for the first requests stay open.
        for _ in 0..<8 { _ = try gateway.request("GET", "/health") }
        try gateway.connect().pause(.milliseconds(100))
        descriptors = try gateway.process.openDescriptors()
    }

    /// Expects that all descriptors close within this time, except kept-alive connections to instances, which close
    /// later. Then expects that the gateway is idle.
    func expectReturn(within limit: Duration) throws {
        try Self.waitForDescriptors(of: gateway, atMost: descriptors + 2 * 16, within: limit)
        try Self.waitForDescriptors(of: gateway, atMost: descriptors, within: .seconds(20))
        try expectNoWork()
    }

    /// Expects that the gateway soon uses almost no processor time for a second. Remaining work may take longer on a
    /// busy machine, but a loop that spins never becomes idle.
    func expectNoWork() throws {
        let deadline = Deadline(after: .seconds(20))
        var used = Duration.seconds(1)
        // A loop that spins uses the whole second, and one that runs every 5 ms uses at least 20 ms of it.
        while used > .milliseconds(20), !deadline.hasPassed {
            let before = try gateway.process.processorTime()
            try gateway.connect().pause(.seconds(1))
            used = try gateway.process.processorTime() - before
        }
        #expect(used <= .milliseconds(20))
    }

    /// Expects that the gateway soon wakes up less than ten times in a second.
    func expectRest() throws {
        let deadline = Deadline(after: .seconds(20))
        var wakeups = Int.max
        while wakeups >= 10, !deadline.hasPassed {
            let before = try gateway.process.waitCount()
            usleep(1_000_000)
            wakeups = try gateway.process.waitCount() - before
        }
        #expect(wakeups < 10)
    }

    static func waitForDescriptors(of gateway: GatewayUnderTest, atMost count: Int, within limit: Duration) throws {
        let deadline = Deadline(after: limit)
        while try gateway.process.openDescriptors() > count, !deadline.hasPassed {
            try gateway.connect().pause(.milliseconds(20))
        }
        let open = try gateway.process.openDescriptors()
        #expect(open <= count)
    }
}

/// Requests that no real client sends, and points at which they stop. The same seed gives the same series.
private struct RandomExchanges {
    enum Ending: CaseIterable { case close, reset, halfClose }

    struct Exchange {
        var fragments: [[UInt8]]
        var ending: Ending
    }

    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func next() -> Exchange {
        var bytes: [UInt8] = []
        for _ in 0...Int.random(in: 0...2, using: &random) { bytes += request() }
        let isWhole = Int.random(in: 0..<4, using: &random) == 0
        if !isWhole { bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))) }
        var fragments: [[UInt8]] = []
        while !bytes.isEmpty {
            let isLast = Bool.random(using: &random)
            let count = isLast ? bytes.count : Int.random(in: 1...bytes.count, using: &random)
            fragments.append(Array(bytes.prefix(count)))
            bytes.removeFirst(count)
        }
        return Exchange(fragments: fragments, ending: pick(Ending.allCases))
    }

    private mutating func request() -> [UInt8] {
        let method = pick(["GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "NONE", "G\u{1}T"])
        let target =
            pick([
                "/health", "/x", "/projects/demo/api/x", "/projects", "/openapi.json", "/projects/demo/start", "*", "",
            ])
            + pick(["", "", "?a=b", "?" + run("&"), "?" + run("a=%00&")])
        var head = "\(method) \(target) \(pick(["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2", ""]))\r\n"
        head += pick(["Host: h\r\n", "Host: h\r\n", ""])
        head += pick([
            RequestText.authorization + "\r\n", RequestText.authorization + "\r\n", "Authorization: x\r\n", "",
        ])
        head += pick([
            "", "", "Cookie: \(run("a=b;"))\r\n", "X-Own: \(run("x"))\r\n", run("A: b\r\n"), " folded\r\n", "bad\r\n",
        ])
        head += pick(["", "", "", "Expect: 100-continue\r\n", "Connection: close\r\n", "Upgrade: websocket\r\n"])
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: return Array((head + "\r\n").utf8)
        case 2:
            let length = pick([0, 1, 5, 70_000, 1_000_000])
            let sent = pick([length, min(length, 80_000), 0])
            return Array("\(head)Content-Length: \(length)\r\n\r\n\(String(repeating: "b", count: sent))".utf8)
        default:
            head += pick(["", "", "", "Content-Length: 5\r\n"])
            return Array("\(head)Transfer-Encoding: chunked\r\n\r\n\(chunks())".utf8)
        }
    }

    private mutating func chunks() -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let data = String(repeating: "d", count: pick([1, 5, 300, 9_000, 70_000]))
            let size = String(data.utf8.count, radix: 16)
            text += pick([
                "\(size)\r\n\(data)\r\n", "\(size)\r\n\(data)\r\n", "\(size);\(run("x"))\r\n\(data)\r\n",
                "\(run("0"))\(size)\r\n",
                "\(size)\r\n\(data)", "zz\r\n", "\(size)\n\(data)\n", "\(run(";"))\r\n",
            ])
        }
        return text
            + pick([
                "0\r\n\r\n", "0\r\n\r\n", "0\r\nX-Trailer: \(run("t"))\r\n\r\n", "0;\(run("e"))\r\n\r\n",
                "0\r\n" + run("T: t\r\n"),
            ])
    }

    /// Returns repetitions of a text, from an empty string to more than any connection's memory.
    private mutating func run(_ text: String) -> String {
        let bytes =
            pick([0, 100, 400, 4_000, 16_000, 19_000, 20_400, 22_000, 40_000]) + Int.random(in: 0..<600, using: &random)
        return String(repeating: text, count: bytes / text.utf8.count)
    }

    private mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }
}
