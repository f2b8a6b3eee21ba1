// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("OpenCode 1's prompts in front of an OpenCode 2", .onTestThreads)
struct BridgePromptTests {
    private static func roles(_ messages: [JSON]) -> [String?] { messages.map { $0["info"]?["role"]?.text } }

    private static func texts(_ message: JSON?) -> String? {
        message?["parts"]?.elements?.last { $0["type"] == "text" }?["text"]?.text
    }

    @Test func `a prompt is answered when its turn is complete`() throws {
        let fixture = try BridgeFixture()
        let id = try fixture.session()
        let start = ContinuousClock.now
        let prompt = BridgeFixture.prompt("Hello [silent=1s]", model: "think")
        let answer = try fixture.request("POST", "/session/\(id)/message", prompt)

        #expect(answer.status == 200)
        #expect(.now - start >= .seconds(1))

        let info = try #require(answer.json["info"])

        #expect(info["role"] == "assistant")
        #expect(info["modelID"] == "think")
        #expect(info["providerID"] == "simulator")
        #expect(info["time"]?["completed"] != nil)
        #expect(info["finish"] == "stop")
        #expect(info["agent"] == "build")

        let messages = try fixture.messages(id)

        #expect(Self.roles(messages) == ["user", "assistant"])
        #expect(info["parentID"] == messages.first?["info"]?["id"])
        #expect(Self.texts(answer.json) == Self.texts(messages.last))

        let one = try fixture.request("GET", "/session/\(id)/message/\(info["id"]?.text ?? "")")

        #expect(one.json == answer.json, "both routes return the same message")
    }

    @Test func `a prompt that is repeated with the same message id is accepted once`() throws {
        let fixture = try BridgeFixture()
        let id = try fixture.session()
        let prompt = BridgeFixture.prompt("Hello", more: #""messageID":"msg_fffffffffff0aaaaaaaaaaaaaa","#)
        for _ in 1...2 {
            let answer = try fixture.request("POST", "/session/\(id)/prompt_async", prompt)
            #expect(answer.status == 204)
            #expect(answer.body.isEmpty)
            #expect(answer.value(of: "Content-Type") == nil)
            _ = try fixture.wait("/session/\(id)/message") { $0.elements?.count == 2 }
        }
        _ = try fixture.wait("/session/status") { $0 == [:] }

        #expect(Self.roles(try fixture.messages(id)) == ["user", "assistant"])

        // The same prompt is sent again on the other route, after the turn of the first one has ended.
        let again = try fixture.request("POST", "/session/\(id)/message", prompt)
        let messages = try fixture.messages(id)

        #expect(again.status == 200, "\(again.text)")
        #expect(Self.roles(messages) == ["user", "assistant"], "\(again.text)")
    }

    @Test func `a prompt during a turn is listed at once, and an abort ends the turn`() throws {
        let fixture = try BridgeFixture()
        let id = try fixture.session()
        let connection = try fixture.gateway.connect()
        try connection.send(
            "POST", "/projects/demo/api/session/\(id)/message", headers: [GatewayUnderTest.authorization],
            body: Array(BridgeFixture.prompt("Hello [pieces=3000 interval=20ms]").utf8))
        // An abort before the answer begins leaves no answer in the list.
        _ = try fixture.wait("/session/\(id)/message") { $0.elements?.count == 2 }

        #expect(try fixture.request("GET", "/session/status").json[id]?["type"] == "busy")
        // The prompt waits in OpenCode 2's inbox for the next step of the turn.
        #expect(try fixture.request("POST", "/session/\(id)/prompt_async", BridgeFixture.prompt("Later")).status == 204)

        let messages = try fixture.messages(id)

        #expect(Self.roles(messages) == ["user", "assistant", "user"])
        #expect(Self.texts(messages.last) == "Later")
        #expect(try fixture.request("POST", "/session/\(id)/abort").text == "true")

        let answer = try ResponseReader(connection, method: "POST").readAll()

        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.json["info"]?["error"]?["name"] == "MessageAbortedError", "\(answer.text)")
    }

    @Test func `/session/status reports when OpenCode tries again`() throws {
        let fixture = try BridgeFixture()
        let id = try fixture.session()
        try fixture.request(
            "POST", "/session/\(id)/prompt_async", BridgeFixture.prompt("Hello [pace=100]", model: "ratelimit"))

        let status = try fixture.wait("/session/status") { $0[id]?["type"] == "retry" }[id]

        #expect(status?["attempt"] == 1)
        #expect(status?["message"] == "Rate limit reached")

        let next = try #require(status?["next"]?.number)

        #expect(next > 1_700_000_000_000)

        try fixture.request("POST", "/session/\(id)/abort")

        #expect(try fixture.request("GET", "/session/status").json == [:])
    }

    @Test func `a permission request accepts one reply, on either path`() throws {
        let fixture = try BridgeFixture()
        for isOld in [true, false] {
            let id = try fixture.session()
            try fixture.request("POST", "/session/\(id)/prompt_async", BridgeFixture.prompt("Hello", model: "tools"))
            let pending = try fixture.wait("/permission") { $0.elements?.isEmpty == false }
            let asked = try #require(pending.elements?.first)
            #expect(asked["permission"] == "bash")
            #expect(asked["sessionID"]?.text == id)
            let permission = asked["id"]?.text ?? ""
            let (path, body) =
                isOld
                ? ("/session/\(id)/permissions/\(permission)", #"{"response":"once"}"#)
                : ("/permission/\(permission)/reply", #"{"reply":"once"}"#)
            #expect(try fixture.request("POST", path, body).text == "true")
            let second = try fixture.request("POST", path, body)
            #expect(second.status == 404, "\(second.text)")
            #expect(second.json["_tag"] == "PermissionNotFoundError", "\(second.text)")
            _ = try fixture.wait("/session/status") { $0 == [:] }
            let tool = try fixture.messages(id).flatMap { $0["parts"]?.elements ?? [] }.first { $0["type"] == "tool" }
            #expect(tool?["tool"] == "bash")
            #expect(tool?["state"]?["output"]?.text == "one\ntwo\nthree\n")
        }

        #expect(try fixture.request("POST", "/permission/per_none/reply", #"{"reply":"never"}"#).status == 400)
    }

    @Test func `a question accepts one reply or rejection`() throws {
        let fixture = try BridgeFixture()

        for (action, body) in [("reply", #"{"answers":[["Left"]]}"#), ("reject", "")] {
            let id = try fixture.session()
            try fixture.request("POST", "/session/\(id)/prompt_async", BridgeFixture.prompt("Hello", model: "question"))
            let asked = try fixture.wait("/question") { $0.elements?.isEmpty == false }
            let question = try #require(asked.elements?.first?["id"]?.text)
            #expect(question.hasPrefix("que_"))
            #expect(try fixture.request("POST", "/question/\(question)/\(action)", body).text == "true")
            let second = try fixture.request("POST", "/question/\(question)/\(action)", body)
            #expect(second.status == 404, "\(second.text)")
            #expect(second.json["_tag"] == "QuestionNotFoundError", "\(second.text)")
            _ = try fixture.wait("/session/status") { $0 == [:] }
        }
    }

    /// The API document of 1.18.33 requires no body.
    @Test(arguments: [nil, "", "{}"])
    func `a fork needs no body`(body: String?) throws {
        let fixture = try BridgeFixture()
        let id = try fixture.session()

        let fork = try fixture.request("POST", "/session/\(id)/fork", body)

        #expect(fork.status == 200, "\(fork.text)")
    }

    @Test func `an answer that is aborted between two attempts is completed without an error`() throws {
        let fixture = try BridgeFixture()
        let id = try fixture.session()
        try fixture.request("POST", "/session/\(id)/prompt_async", BridgeFixture.prompt("Hello", model: "ratelimit"))
        _ = try fixture.wait("/session/\(id)/message") { $0.elements?.count == 2 }

        let abort = try fixture.request("POST", "/session/\(id)/abort")

        let answer = try #require(try fixture.messages(id).last?["info"])

        #expect(abort.text == "true")
        #expect(answer["role"] == "assistant")
        #expect(answer["time"]?["completed"] != nil, "\(answer)")
        #expect(answer["error"] == nil)

        let message = try #require(answer["id"]?.text)
        let single = try fixture.request("GET", "/session/\(id)/message/\(message)")

        #expect(single.json["info"] == answer, "\(single.text)")
    }

    @Test func `shell, command, fork, summarize, revert and unrevert requests succeed`() throws {
        let fixture = try BridgeFixture()
        let id = try fixture.session()
        let first = try fixture.request("POST", "/session/\(id)/message", BridgeFixture.prompt("Hello"))
        let prompt = try #require(first.json["info"]?["parentID"]?.text)
        let shell = try fixture.request("POST", "/session/\(id)/shell", #"{"agent":"build","command":"echo hi"}"#)

        #expect(shell.json["parts"]?.elements?.first?["tool"] == "bash", "\(shell.text)")

        let command = try fixture.request("POST", "/session/\(id)/command", #"{"command":"init","arguments":"x"}"#)

        #expect(command.status == 200, "\(command.text)")
        #expect(command.json["info"]?["role"] == "assistant", "\(command.text)")
        #expect(
            try fixture.request("POST", "/session/\(id)/command", #"{"command":"no","arguments":""}"#).status == 404)

        let forked = try fixture.request("POST", "/session/\(id)/fork", "{}")
        let copy = try #require(forked.json["id"]?.text)

        #expect(copy != id)

        let (ids, original) = (
            try fixture.messages(copy).compactMap { $0["info"]?["id"]?.text }, try fixture.messages(id)
        )

        #expect(ids.count == original.count)
        #expect(ids == ids.sorted())

        let summary = #"{"providerID":"simulator","modelID":"talk"}"#

        #expect(try fixture.request("POST", "/session/\(id)/summarize", summary).text == "true")

        let reverted = try fixture.request("POST", "/session/\(id)/revert", #"{"messageID":"\#(prompt)"}"#)

        #expect(reverted.json["revert"]?["messageID"]?.text == prompt, "\(reverted.text)")
        #expect(try fixture.request("POST", "/session/\(id)/unrevert").json["revert"] == nil)
        #expect(try fixture.request("GET", "/session/\(id)/children").json == [])
        #expect(try fixture.request("GET", "/session/\(id)/todo").json == [])
    }
}
