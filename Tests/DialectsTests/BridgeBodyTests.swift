// SPDX-License-Identifier: Apache-2.0

import Dialects
import JSONText
import Testing

/// Tests that bodies are validated against OpenCode 1's document before a call is sent to OpenCode 2.
@Suite struct BridgeBodyTests {
    @Test(arguments: [
        (#"{"parts":[{"type":"nonsense"}]}"#, #"["parts"][0]["type"]"#), (#"{"parts":[{}]}"#, #"["parts"][0]["type"]"#),
        (#"{"parts":[{"type":"text"}]}"#, #"["parts"][0]["text"]"#),
        (#"{"parts":[{"type":"text","text":7}]}"#, #"["parts"][0]["text"]"#),
        (#"{"parts":[{"type":"text","text":"a"},"b"]}"#, #"["parts"][1]"#),
        (#"{"parts":[{"type":"file","url":"data:,x"}]}"#, #"["parts"][0]["mime"]"#),
        (#"{"parts":[{"type":"agent"}]}"#, #"["parts"][0]["name"]"#), (#"{"parts":{}}"#, #"["parts"]"#),
        (#"{"model":"mock/talk","parts":[]}"#, #"["model"]"#),
        (#"{"model":{"providerID":"mock"},"parts":[]}"#, #"["model"]["modelID"]"#),
        (#"{"agent":5,"parts":[]}"#, #"["agent"]"#), (#"{"tools":{"bash":"no"},"parts":[]}"#, #"["tools"]["bash"]"#),
        (#"{"messageID":"x","parts":[]}"#, #"["messageID"]"#), (#"{"variant":null,"parts":[]}"#, #"["variant"]"#),
    ])
    func `a prompt that OpenCode 1 refuses is a bad request that names the member`(
        _ body: String, path: String
    ) async throws {
        for route in ["prompt_async", "message"] {
            let run = try await BridgeRun("POST", "/session/ses_1/\(route)", body: body)

            #expect(run.status == 400)
            #expect(run.calls.isEmpty)
            #expect(run.json?["name"] == "BadRequest")
            #expect(run.json?["data"]?["kind"] == "Payload")
            #expect(run.json?["data"]?["message"]?.text?.hasSuffix("\n  at " + path) == true)
        }
    }

    @Test(arguments: [
        ("POST", "/session/ses_1/command", #"{"command":"c","arguments":"","model":{}}"#),
        ("POST", "/session/ses_1/shell", #"{"command":"ls"}"#),
        ("POST", "/session/ses_1/shell", #"{"command":"ls","agent":"build","model":"m"}"#),
        ("POST", "/session/ses_1/summarize", #"{"providerID":"p","modelID":"m","auto":"yes"}"#),
        ("POST", "/session/ses_1/fork", #"{"messageID":"x"}"#), ("POST", "/session/ses_1/fork", "[]"),
        ("POST", "/session/ses_1/revert", #"{"messageID":"x"}"#), ("PATCH", "/session/ses_1", #"{"title":1}"#),
        ("PATCH", "/session/ses_1", #"{"time":{"archived":"now"}}"#), ("POST", "/pty", #"{"cwd":["/etc"]}"#),
        ("POST", "/pty", #"{"args":"x"}"#), ("PUT", "/pty/pty_1", #"{"size":{"rows":0,"cols":1}}"#),
        ("POST", "/permission/per_1/reply", #"{"reply":"once","message":1}"#),
        ("POST", "/question/que_1/reply", #"{"answers":["a"]}"#),
    ])
    func `a body that violates OpenCode 1's document is a bad request`(
        _ method: String, _ path: String, _ body: String
    ) async throws {
        let run = try await BridgeRun(method, path, body: body)

        #expect(run.status == 400)
        #expect(run.calls.isEmpty)
    }

    @Test(arguments: [#"{"parentID":"x"}"#, #"{"title":1}"#, #"{"model":{"id":"m"}}"#, #"{"permission":[{}]}"#, "[]"])
    func `a session that OpenCode 1 refuses is a bad request`(_ body: String) async throws {
        let run = try await BridgeRun("POST", "/session", body: body)

        #expect(run.status == 400)
        #expect(run.json == ["_tag": "BadRequest"])
    }

    @Test func `members that the document does not name are ignored`() async throws {
        let body =
            #"{"x":1,"model":{"providerID":"mock","modelID":"talk","y":2},"parts":[{"type":"text","text":"a","z":3}]}"#

        let run = try await BridgeRun(
            "POST", "/session/ses_1/prompt_async", body: body,
            replies: [.recorded("session-after-talk"), BridgeTurnTests.idle, BridgeTurnTests.prompted])

        #expect(run.status == 204)
    }
}
