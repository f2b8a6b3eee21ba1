// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

@testable import Dialects

/// Tests that the bridge stays inside the project, and how it describes itself.
@Suite struct BridgeScopeTests {
    /// OpenCode 2 lists the sessions of all directories together.
    @Test func `a session outside the project yields 404 and is absent from /session/status`() async throws {
        let outside = BridgeRun.bridge(contains: { $0.hasPrefix("/home/vibe/other") })
        let status = try await BridgeRun(
            "GET", "/session/status",
            replies: [.recorded("active-while-asking-tools"), .recorded("session-after-talk")], by: outside)

        #expect(status.json == [:])

        let abort = try await BridgeRun(
            "POST", "/session/\(BridgeTests.session)/abort", replies: [.recorded("session-after-talk")], by: outside)

        #expect(abort.json == true)
        #expect(abort.calls.count == 1)

        for (method, path, body) in [
            ("GET", "", ""), ("DELETE", "", ""), ("PATCH", "", #"{"title":"x"}"#), ("POST", "/fork", "{}"),
            ("POST", "/revert", #"{"messageID":"msg_1"}"#), ("POST", "/unrevert", ""), ("GET", "/message", ""),
            ("POST", "/message", #"{"parts":[]}"#), ("POST", "/shell", #"{"agent":"build","command":"true"}"#),
            ("POST", "/permissions/per_1", #"{"response":"once"}"#),
        ] {
            let run = try await BridgeRun(
                method, "/session/\(BridgeTests.session)\(path)", body: body,
                replies: [.recorded("session-after-talk")],
                by: outside)
            #expect(run.status == 404, "\(method) \(path)")
            #expect(run.json?["name"] == "NotFoundError", "\(method) \(path)")
            #expect(run.calls == ["GET /api/session/ses_1"], "\(method) \(path)")
        }
    }

    @Test(arguments: [
        ("/etc/x", true), ("file:///etc/x", true), ("FILE:/etc/x", true), ("file://host/etc/x", true), ("../x", true),
        ("file:///home/vibe/demo/%2e%2e/x", true), ("file:///home/vibe/demo/a%20b?start=1", false), ("x/../y", false),
        ("data:text/plain,x", false), ("https://example.com/x", false),
    ])
    func `a prompt with a file outside the project is rejected with 403`(_ url: String, isOutside: Bool) async throws {
        let inside = BridgeRun.bridge(contains: { $0.hasPrefix("/home/vibe/demo") })
        let body = #"{"parts":[{"type":"file","mime":"text/plain","url":"\#(url)"}]}"#
        let run = try await BridgeRun(
            "POST", "/session/ses_1/prompt_async", body: body,
            replies: [.says(404, #"{"_tag":"SessionNotFoundError"}"#)], by: inside)

        #expect(run.status == (isOutside ? 403 : 404))
    }

    /// OpenCode parses URLs according to the WHATWG URL Standard, which corrects URLs that RFC 8089 does not allow.
    @Test(arguments: [
        " file:///etc/x", "\\u0001file:///etc/x", "fi\\tle:///etc/x", "file:\\n///etc/x", "file:///home/vibe/demo/x\\r",
        "file:etc/x", "file:\\\\\\\\\\\\etc\\\\x", "file:///home/vibe/demo\\\\..\\\\x", "..\\\\x", " ../x", "\\t../x",
        "file:///home/vibe/demo/a%2fb/../../x", "file:///home/vibe/demo/%00", "file://example.com/home/vibe/demo/x",
        "file:///etc/x//../../home/vibe/demo/x", "file:///C:/../home/vibe/demo/x", "file:///home/vibe/demo/.%2E/x",
        "file:///home/vibe/demo/x ", "file:///home/vibe/demo/\\u007fx", "file:////home/vibe/demo/../../x",
    ])
    func `a file URL that a browser's parser would correct is rejected`(_ url: String) async throws {
        let inside = BridgeRun.bridge(contains: {
            $0 == "/home/vibe/demo" || $0.hasPrefix("/home/vibe/demo/")
        })
        for (route, members) in [("prompt_async", ""), ("message", ""), ("command", #""command":"c","arguments":"","#)]
        {
            let body = #"{\#(members)"parts":[{"type":"file","mime":"text/plain","url":"\#(url)"}]}"#

            let run = try await BridgeRun("POST", "/session/ses_1/\(route)", body: body, by: inside)

            #expect(run.status == 403, "\(route)")
        }
    }

    @Test(arguments: [
        "file:///home/vibe/demo/a b", "file://localhost/home/vibe/demo/x", "file:/home/vibe/demo//x",
        " data:text/plain,x",
        "data:text/plain;base64,aGk=\\n",
    ])
    func `a URL that names a file inside the project, or names no file, is accepted`(_ url: String) async throws {
        let inside = BridgeRun.bridge(contains: { $0.hasPrefix("/home/vibe/demo/") })
        let body = #"{"parts":[{"type":"file","mime":"text/plain","url":"\#(url)"}]}"#

        let run = try await BridgeRun(
            "POST", "/session/ses_1/prompt_async", body: body,
            replies: [.says(404, #"{"_tag":"SessionNotFoundError"}"#)], by: inside)

        #expect(run.status == 404)
    }

    @Test func `/doc describes exactly the translated routes, contains every schema and no white space`() async throws {
        let run = try await BridgeRun("GET", "/doc")
        let paths = try #require(run.json?["paths"]?.object)
        let documented = paths.members.flatMap { path in
            (path.value.object?.members ?? []).map { "\($0.name.uppercased()) \(path.name)" }
        }

        #expect(documented.sorted() == BridgeRoute.documented.sorted())
        #expect(run.body == run.json?.bytes)

        let schemas = try #require(run.json?["components"]?["schemas"]?.object)
        let text = String(decoding: run.body, as: UTF8.self)
        for match in text.matches(of: /#\/components\/schemas\/([^"]+)"/) {
            #expect(schemas[String(match.1)] != nil, "\(match.1)")
        }
    }
}
