// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Long lists of messages in front of an OpenCode 2", .onTestThreads)
struct BridgeListTests {
    private static let json = [("Content-Type", "application/json")]
    private static let count = 5_000

    private static func id(_ number: Int) -> String { "msg_" + String(100_000 + number) }

    /// Returns a message, a prompt or an answer, of about 2 KB.
    private static func message(_ number: Int, size: Int) -> String {
        let text = String(repeating: "x", count: size)
        guard number % 2 == 1 else {
            return #"{"type":"user","id":"\#(id(number))","time":{"created":\#(number)},"text":"\#(text)"}"#
        }
        return """
            {"type":"assistant","id":"\(id(number))","agent":"build","model":{"id":"m","providerID":"p"},\
            "time":{"created":\(number),"completed":\(number)},"finish":"stop","cost":0,\
            "tokens":{"input":1,"output":1,"reasoning":0,"cache":{"read":0,"write":0}},\
            "content":[{"type":"text","id":"t","text":"\(text)"}]}
            """
    }

    /// Starts an instance that has a session with that many messages, and that returns pages as 2.0.15 does.
    private static func fixture(size: Int, count: Int = Self.count, requests: Recorded<Int>? = nil) throws
        -> ProxyFixture
    {
        let folder = Recorded<String>("the project's folder")
        let fixture = try ProxyFixture(FakeOpenCode(.two())) { connection, head in
            switch head.path {
            case "/api/model/default": try connection.respond(200, headers: json, text: #"{"data":null}"#)
            case "/api/session/ses_1":
                let directory = try folder.wait(forCount: 1)[0]
                try connection.respond(200, headers: json, text: openCode2Session(in: directory))
            case "/api/session/ses_1/inbox": try connection.respond(200, headers: json, text: #"{"data":[]}"#)
            default:
                let query = head.target.split(separator: "?").last?.split(separator: "&") ?? []
                let value = { (name: String) in
                    query.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
                }
                let limit = value("limit").flatMap { Int($0) } ?? 50
                requests?.append(limit)
                // The cursor is the number of the next message, preceded by the order.
                let cursor = value("cursor")
                let isOldestFirst = cursor.map { $0.hasPrefix("asc") } ?? (value("order") == "asc")
                let start = cursor.flatMap { Int($0.drop { !$0.isNumber }) } ?? 0
                let end = min(start + limit, count)
                let page = (start..<end).map { message(isOldestFirst ? $0 : count - 1 - $0, size: size) }
                let next = end < count ? #""\#(isOldestFirst ? "asc" : "desc")\#(end)""# : "null"
                try connection.respond(
                    200, headers: json, text: #"{"data":[\#(page.joined(separator: ","))],"cursor":{"next":\#(next)}}"#)
            }
        }
        folder.append("\(fixture.gateway.home.path)/demo")
        return fixture
    }

    @Test(.enabled(if: !Sanitizer.isActive)) func `a list of 5,000 messages needs less than 8 MiB of memory`() throws {
        let fixture = try Self.fixture(size: 2_000)
        // A first request makes the gateway allocate the memory that it needs in any case.
        _ = try fixture.request("GET", "/session/ses_1/message?limit=100")
        let before = try fixture.gateway.process.peakResidentMemory()
        let answer = try ResponseReader(try fixture.send("GET", "/session/ses_1/message")).readAll(
            within: .seconds(120))

        #expect(answer.status == 200)
        #expect(answer.body.count > Self.count * 2_000)
        #expect(try fixture.gateway.process.peakResidentMemory() - before < 8 << 20)

        let ids = answer.json.elements?.compactMap { $0["info"]?["id"]?.text }

        #expect(ids == (0..<Self.count).map(Self.id))
    }

    @Test(.enabled(if: !Sanitizer.isActive)) func `a client that does not read delays the requests for further pages`()
        throws
    {
        let requests = Recorded<Int>("a page")
        let fixture = try Self.fixture(size: 2_000, requests: requests)
        let client = try fixture.send("GET", "/session/ses_1/message", receiveBuffer: 8192)
        try requests.wait(forCount: 2)
        try client.pause(.milliseconds(1500))
        let held = requests.values.count

        #expect(held < 45, "\(held) of 50 pages were requested although the client has read none")

        let answer = try ResponseReader(client).readAll(within: .seconds(120))

        #expect(answer.ending == .complete)
        #expect(answer.json.elements?.count == Self.count)
    }

    @Test func `a page that is too long is requested in smaller pages`() throws {
        let requests = Recorded<Int>("a page")
        let fixture = try Self.fixture(size: 40_000, count: 60, requests: requests)
        let answer = try fixture.request("GET", "/session/ses_1/message")

        #expect(answer.json.elements?.compactMap { $0["info"]?["id"]?.text } == (0..<60).map(Self.id))
        // The gateway requests the first page twice.
        #expect(requests.values == [100, 20, 20, 20])
    }

    @Test func `the links between pages lead through the gateway and reach every message`() throws {
        let fixture = try BridgeFixture()
        let id = try fixture.session()
        for text in ["One", "Two", "Three"] {
            try fixture.request("POST", "/session/\(id)/message", BridgeFixture.prompt(text))
        }
        let all = try fixture.messages(id).compactMap { $0["info"]?["id"]?.text }

        #expect(all.count == 6)
        #expect(all == all.sorted())

        var found: [String] = []
        var path: String? = "/session/\(id)/message?limit=4"
        while let next = path {
            let page = try fixture.request("GET", next, headers: [("Host", "gateway.example.com")])
            found = (page.json.elements ?? []).compactMap { $0["info"]?["id"]?.text } + found
            let link = page.value(of: "Link")
            #expect((link == nil) == (page.value(of: "X-Next-Cursor") == nil))
            let base = "<http://gateway.example.com/projects/demo/api"
            #expect(link?.hasPrefix(base) ?? true)
            path = link.map { String($0.dropFirst(base.count).prefix { $0 != ">" }) }
        }

        #expect(found == all)
        #expect(try fixture.request("GET", "/session/\(id)/message?limit=0").json.elements?.count == 6)
        #expect(try fixture.request("GET", "/session/\(id)/message?limit=2&before=nonsense").status == 400)
        #expect(try fixture.request("GET", "/session/\(id)/message?limit=-1").status == 400)
    }

    @Test func `an HTTP/1.0 client receives the list, and then the connection ends`() throws {
        let fixture = try Self.fixture(size: 100, count: 250)
        let connection = try fixture.gateway.connect()
        let (name, key) = GatewayUnderTest.authorization
        try connection.write("GET /projects/demo/api/session/ses_1/message HTTP/1.0\r\n\(name): \(key)\r\n\r\n")
        let answer = try ResponseReader(connection).readAll()

        #expect(answer.status == 200)
        #expect(answer.json.elements?.count == 250)

        let head = try fixture.request("HEAD", "/session/ses_1/message")

        #expect(head.status == 200)
        #expect(head.body.isEmpty)
    }
}
