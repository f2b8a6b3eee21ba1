// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests that no client mistakes an aborted stream for a clean end. Node 20 and 22 do so if the stream's head contains
/// `Connection: close`, and then the official SDK never reconnects.
@Suite(.onTestThreads) struct AbortedStreamTests {
    private static let head = [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")]
    private static let chunked = [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")]
    /// More fields than libmicrohttpd has space for, so that the gateway writes the response to the socket directly.
    private static let large = (0..<200).map { ("X-Large-\($0)", String(repeating: "v", count: 100)) }

    enum Abort: Sendable, CaseIterable { case close, reset }

    /// Starts an instance that begins a chunked body and waits for the latch. Then it either completes the body or ends
    /// the connection.
    private static func fixture(_ abort: Abort?, _ resume: Latch, flags: [String] = []) throws -> ProxyFixture {
        try ProxyFixture(flags: flags) { connection, head in
            _ = try connection.readBody(of: head)
            switch head.path {
            case "/event": try connection.writeHead(200, headers: Self.head)
            case "/large": try connection.writeHead(200, headers: Self.chunked + Self.large)
            default: try connection.writeHead(200, headers: Self.chunked)
            }
            try connection.writeChunk("data: 1\n\n")
            try resume.wait(within: .seconds(30))
            switch abort {
            case .close: connection.close()
            case .reset: connection.reset()
            case nil:
                try connection.writeChunk("data: 2\n\n")
                try connection.writeLastChunk()
            }
        }
    }

    @Test(arguments: ["/event", "/json", "/large"], ProxyFixture.carriers)
    func `Node 20 detects a response that the instance has aborted`(path: String, method: String) throws {
        for abort in Abort.allCases {
            let resume = Latch("the client to have the first piece")
            let fixture = try Self.fixture(abort, resume)
            let client = ResponseReader(try fixture.send(method, path), method: method)
            #expect(try client.readHead().values(of: "Connection") == [])
            #expect(try client.readBodyPart() == Array("data: 1\n\n".utf8))
            resume.open()
            #expect(try client.discardBody() == 0)
            #expect(client.endingInNode20 == .truncated || client.endingInNode20 == .reset, "\(abort)")
        }
    }

    @Test func `Node 20 detects a stream that the gateway's shutdown has ended`() throws {
        let resume = Latch("the test to end")
        defer { resume.open() }
        let fixture = try Self.fixture(.close, resume)
        let client = ResponseReader(try fixture.send("GET", "/event"))

        #expect(try client.readBodyPart() == Array("data: 1\n\n".utf8))

        fixture.gateway.process.terminate()

        #expect(try client.discardBody() == 0)
        #expect(client.endingInNode20 == .truncated || client.endingInNode20 == .reset)
    }

    @Test(arguments: ["/event", "/large"])
    func `after a clean end, the connection of a large response continues and the connection of a stream closes`(
        path: String
    )
        throws
    {
        let resume = Latch("the client to have the first piece")
        let fixture = try Self.fixture(nil, resume)
        let connection = try fixture.send("GET", path)
        let client = ResponseReader(connection)

        #expect(try client.readBodyPart() == Array("data: 1\n\n".utf8))

        resume.open()

        #expect(try client.readAll().ending == .complete)

        // The connection of a stream is not reused.
        guard path == "/large" else {
            #expect(try connection.waitForEnd(within: .seconds(5)) == .closed)
            return
        }

        #expect(try connection.exchange("GET", "/health").status == 200)
    }

    @Test(arguments: ["/event", "/json", "/large"])
    func `a response has Connection: close if the client has requested it`(path: String) throws {
        let resume = Latch("a signal that never comes")
        resume.open()
        let fixture = try Self.fixture(nil, resume)
        let connection = try fixture.send("GET", path, headers: [("Connection", "x, Close")])
        let answer = try ResponseReader(connection, mayClose: true).readAll()

        #expect(answer.head.endsConnection)
        #expect(answer.ending == .complete)
        #expect(try connection.waitForEnd() == .closed)
    }

    @Test func `a response to a chunked request has Connection: close if libmicrohttpd is not strict`() throws {
        let resume = Latch("a signal that never comes")
        resume.open()
        let fixture = try Self.fixture(nil, resume)
        for path in ["/event", "/json", "/large"] {
            let connection = try fixture.send("POST", path, headers: [("Transfer-Encoding", "chunked")])
            try connection.writeChunk("{}")
            try connection.writeLastChunk()
            let answer = try ResponseReader(connection, method: "POST", mayClose: true).readAll()
            #expect(answer.head.endsConnection == !MessageLibrary.isStrict, "\(path)")
            #expect(answer.ending == .complete)
        }
    }

    /// Prints the result of reading with a real Node: `clean`, or the name of an error.
    private static let script = """
        const [url, key] = process.argv.slice(1);
        const answer = await fetch(url, { headers: { Authorization: "Bearer " + key } });
        const reader = answer.body.getReader();
        let result = "clean";
        try {
          for (let part = await reader.read(); !part.done; part = await reader.read()) console.log("part");
        } catch (error) { result = error.name; }
        console.log(result);
        """

    @Test(.enabled(if: Node.path != nil, "there is no node on this machine"), arguments: Abort.allCases)
    func `the installed Node detects an aborted response`(abort: Abort) throws {
        for (abort, path) in [(abort, "/event"), (abort, "/json"), (nil, "/event")] {
            let resume = Latch("node to have the first piece")
            let fixture = try Self.fixture(abort, resume)
            let node = try TestProcess(
                try #require(Node.path),
                [
                    "--input-type=module", "-e", Self.script,
                    "http://127.0.0.1:\(fixture.gateway.port)\(ProxyFixture.target(path))",
                    GatewayUnderTest.key,
                ])
            try node.waitForLine(on: .output, within: .seconds(30)) { $0 == "part" }
            resume.open()
            #expect(try node.waitForExit(within: .seconds(30)) == .exited(0))
            #expect(node.lines(of: .output).last == (abort == nil ? "clean" : "TypeError"), "\(path)")
        }
    }
}

/// The Node installation of this machine, if it has `fetch` (version 18 or later).
enum Node {
    /// The path of the program; nil if there is no such Node.
    static let path: String? = {
        let folders = getenv("PATH").map { String(cString: $0).split(separator: ":") } ?? []
        guard let folder = folders.first(where: { access("\($0)/node", X_OK) == 0 }),
            let process = try? TestProcess("\(folder)/node", ["-e", "process.exit(globalThis.fetch ? 0 : 1)"]),
            (try? process.waitForExit(within: .seconds(20))) == .exited(0)
        else { return nil }
        return "\(folder)/node"
    }()
}
