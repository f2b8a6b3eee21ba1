// SPDX-License-Identifier: Apache-2.0

import Dialects
import JSONText
import Testing

/// Tests the options of requests from OpenCode 1's clients, and the errors for invalid options.
@Suite struct BridgeQueryTests {
    @Test(arguments: [
        ("/session", "limit", "-1"), ("/session", "limit", "1.5"), ("/session", "limit", "many"),
        ("/session", "start", "today"), ("/session", "start", "nan"), ("/session", "roots", "yes"),
        ("/session", "scope", "all"), ("/find/file", "dirs", "no"), ("/find/file", "type", "link"),
        ("/find/file", "limit", "0"), ("/find/file", "limit", "201"),
    ])
    func `each query parameter that OpenCode 1 rejects is rejected with 400`(
        _ path: String, _ name: String, _ value: String
    ) async throws {
        let run = try await BridgeRun("GET", path, query: [("query", "x"), (name, value)])

        #expect(run.status == 400)
        #expect(run.calls.isEmpty)
        #expect(run.json?["name"] == "BadRequest")
        #expect(run.json?["data"]?["kind"] == "Query")
        #expect(run.json?["data"]?["message"]?.text?.hasSuffix("\n  at [\"\(name)\"]") == true)
    }

    private static func session(_ number: Int, in path: String) -> String {
        """
        {"id":"ses_\(number)","projectID":"p","cost":0,"tokens":{"input":0,"output":0,"reasoning":0,\
        "cache":{"read":0,"write":0}},"time":{"created":1,"updated":\(9 - number)},\
        "location":{"directory":"/home/vibe/demo/\(path)"},"subpath":"\(path)"}
        """
    }

    @Test func `sessions below a path are collected page by page`() async throws {
        let pages: [BridgeRun.Answer] = [
            .says(
                200,
                #"{"data":[\#(Self.session(1, in: "app")),\#(Self.session(2, in: "apple"))],"cursor":{"next":"n"}}"#),
            .says(
                200,
                #"{"data":[\#(Self.session(3, in: "app/x")),\#(Self.session(4, in: "app"))],"cursor":{"next":"o"}}"#),
            .says(200, #"{"data":[],"cursor":{"next":null}}"#),
        ]
        let all = try await BridgeRun("GET", "/session", query: [("path", "app"), ("roots", "true")], replies: pages)

        #expect(
            all.calls == [
                "GET /api/session?directory=%2Fhome%2Fvibe%2Fdemo&limit=100&parentID=null&order=desc",
                "GET /api/session?cursor=n", "GET /api/session?cursor=o",
            ])
        #expect(all.json?.array?.map { $0["id"]?.text } == ["ses_1", "ses_3", "ses_4"])

        let two = try await BridgeRun("GET", "/session", query: [("path", "app"), ("limit", "2")], replies: pages)

        #expect(two.json?.array?.map { $0["id"]?.text } == ["ses_1", "ses_3"])
        #expect(two.calls.count == 2)

        // An empty path matches every path.
        let any = try await BridgeRun("GET", "/session", query: [("path", "")], replies: pages)

        #expect(any.json?.array?.count == 2)
        #expect(any.calls.count == 1)
    }

    @Test func `the diff of an unknown session is empty`() async throws {
        let run = try await BridgeRun("GET", "/session/ses_none/diff")

        #expect(run.json == [])
        #expect(run.calls.isEmpty)
    }

    /// OpenCode 2 responds with 500 and an empty body if a directory is missing.
    @Test(arguments: ["/agent", "/file", "/file/content", "/pty", "/permission", "/path"])
    func `a missing directory that is not the instance's own is reported as 404`(_ path: String) async throws {
        let elsewhere = BridgeRun.bridge(in: "/home/vibe")
        let query = [(name: "path", value: ".")]
        let missing = try await BridgeRun(
            "GET", path, query: query, replies: [.empty(500), .empty(500)], by: elsewhere)

        #expect(missing.status == 404)
        #expect(missing.json?["name"] == "NotFoundError")
        #expect(
            missing.json?["data"]?["message"]?.text?.contains("/home/vibe/demo. Name a directory that exists") == true)
        #expect(missing.calls.last == "GET /api/location?location%5Bdirectory%5D=%2Fhome%2Fvibe%2Fdemo")

        let broken = try await BridgeRun(
            "GET", path, query: query, replies: [.empty(500), .recorded("location")], by: elsewhere)

        #expect(broken.status == 500)

        let own = BridgeRun.bridge(in: "/home/vibe/demo")
        let alone = try await BridgeRun("GET", path, query: query, replies: [.empty(500)], by: own)

        #expect(alone.status == 500)
        #expect(alone.calls.count == 1)
    }

    @Test func `a missing directory inside the instance's directory is reported as 404`() async throws {
        let own = BridgeRun.bridge(in: "/home/vibe/demo")
        let run = try await BridgeRun("GET", "/file", query: [("path", "none/")], replies: [.empty(500)], by: own)

        #expect(run.status == 404)
        #expect(run.json?["data"]?["message"] == "The directory none/ does not exist or cannot be read.")
    }

    @Test func `POST /log accepts OpenCode 1's entries and rejects malformed ones with 400`() async throws {
        let line = #""service":"x","message":"m""#

        #expect(try await BridgeRun("POST", "/log", body: #"{\#(line),"level":"warn","extra":{}}"#).json == true)

        for body in [
            "", "[]", #"{"level":"info","message":"m"}"#, "{\(line)}", #"{\#(line),"level":"loud"}"#,
            #"{\#(line),"level":"info","extra":1}"#,
        ] {
            let run = try await BridgeRun("POST", "/log", body: body)
            #expect(run.status == 400, "\(body)")
            #expect(run.json?["name"] == "BadRequest", "\(body)")
        }
    }

    @Test(arguments: [
        ("PATCH", "/session/ses_1", #"{"time":3}"#), ("PATCH", "/session/ses_1", #"{"permission":{}}"#),
        ("PATCH", "/session/ses_1", #"{"permission":[{"permission":1,"pattern":"*","action":"ask"}]}"#),
        ("PATCH", "/session/ses_1", #"{"permission":[{"permission":"bash","pattern":"*","action":"?"}]}"#),
        ("POST", "/session", #"{"permission":[{"permission":"bash","action":"ask"}]}"#),
        ("POST", "/session/ses_1/fork", #"{"messageID":1}"#), ("POST", "/session/nope/abort", ""),
    ])
    func `each request that OpenCode 1 rejects is rejected with 400 and not forwarded`(
        _ method: String, _ path: String, _ body: String
    ) async throws {
        let run = try await BridgeRun(method, path, body: body)

        #expect(run.status == 400)
        #expect(run.calls.isEmpty)
        #expect((run.json?["name"] ?? run.json?["_tag"]) == "BadRequest")
    }

    @Test(arguments: [("/session/nope/diff", ""), ("/session/ses_1/diff", "prt_1"), ("/session/ses_1/diff", "")])
    func `an invalid id is rejected with 400 even if OpenCode 2 is not called`(_ path: String, _ message: String)
        async throws
    {
        let run = try await BridgeRun("GET", path, query: message.isEmpty ? [] : [("messageID", message)])

        #expect(run.calls.isEmpty)
        #expect(run.status == (path.contains("ses_") && message.isEmpty ? 200 : 400))
    }

    @Test func `permission rules are set with OpenCode 2's names`() async throws {
        let run = try await BridgeRun(
            "PATCH", "/session/ses_1", body: #"{"permission":[{"permission":"bash","pattern":"ls *","action":"ask"}]}"#,
            replies: [.recorded("session-after-talk"), .empty(204), .recorded("session-after-talk")])

        #expect(run.status == 200)
        #expect(
            run.calls[1]
                == #"PATCH /api/session/ses_1 {"permissions":[{"action":"shell","resource":"ls *","effect":"ask"}]}"#)
    }
}
