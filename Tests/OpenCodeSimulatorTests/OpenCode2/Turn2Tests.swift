// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests turns in cases that the recordings do not contain.
@Suite("OpenCode 2's turns", .onTestThreads)
struct Turn2Tests {
    @Test func `the deltas of a text add up to the stored text`() throws {
        let stage = try Stage2()
        let session = try stage.turn("talk", "Say it [pieces=200]")
        let ended = try stage.next("session.text.ended")
        let fragments = stage.events.filter { $0["type"] == "session.text.delta" }
        let deltas = fragments.compactMap { $0["data"]?["delta"]?.text }

        #expect(deltas.count == 200)
        #expect(ended["text"]?.text == deltas.joined())
        #expect(ended["text"]?.text?.contains("You said: “Say it”") == true)

        try stage.wait(session)
        let message = try stage.simulator.get("/api/session/\(session)/message").json["data"]?.elements?[1]

        #expect(message?["content"]?.elements?.first?["text"] == ended["text"])
    }

    @Test func `a wait request is answered after the turn has ended`() throws {
        let stage = try Stage2()
        let start = ContinuousClock.now
        let session = try stage.turn("talk", "wait [silent=1s]")
        try stage.wait(session)

        #expect(ContinuousClock.now - start >= .seconds(1))
        #expect(try stage.simulator.get("/api/session/active").text == #"{"data":{}}"#)
    }

    @Test func `a client that receives the end of a turn finds the session idle`() throws {
        let stage = try Stage2()

        for _ in 0..<20 {
            let session = try stage.turn("talk")
            try stage.next("session.execution.succeeded")
            let data = try stage.simulator.get("/api/session/\(session)").json["data"]
            #expect(data?["outcome"] == "succeeded")
            #expect(try stage.simulator.get("/api/session/active").text == #"{"data":{}}"#)
        }
    }

    @Test func `an interrupt keeps a queued prompt, which is answered after the next prompt`() throws {
        let stage = try Stage2(pace: 100)
        let session = try stage.turn("long", "one")
        try stage.next("session.text.delta")
        let queued = try stage.prompt(session, "talk two", delivery: "queue")
        try stage.simulator.post("/api/session/\(session)/interrupt")

        #expect(try stage.simulator.get("/api/session/\(session)").json["data"]?["outcome"] == "interrupted")

        let inbox = try stage.simulator.get("/api/session/\(session)/inbox").json["data"]?.elements

        #expect(inbox?.map { $0["id"]?.text } == [queued])

        // The next prompt wakes the session. Steering input is processed first.
        try stage.prompt(session, "talk three")
        try stage.next("session.execution.succeeded")
        let texts = try stage.simulator.get("/api/session/\(session)/message?type=user&order=asc").json["data"]?
            .elements

        #expect(texts?.map { $0["text"] } == ["one", "talk three", "talk two"])
        #expect(try stage.simulator.get("/api/session/\(session)/inbox").text == #"{"data":[]}"#)
    }

    @Test func `an interrupt ends a turn that waits for a permission`() throws {
        let stage = try Stage2()
        let session = try stage.turn("tools")
        let asked = try stage.next("permission.asked")
        try stage.simulator.post("/api/session/\(session)/interrupt")

        #expect(try stage.next("session.tool.failed")["error"]?["type"] == "aborted")
        #expect(try stage.next("session.execution.interrupted")["reason"] == "user")

        let path = "/api/session/\(session)/permission/\(asked["id"]?.text ?? "")"

        #expect(try stage.simulator.get(path).status == 404)
        #expect(try stage.simulator.post("\(path)/reply", #"{"decision":"once"}"#).status == 404)
    }

    @Test func `a session is deleted while its turn runs`() throws {
        let stage = try Stage2(pace: 100)
        let session = try stage.turn("long")
        try stage.next("session.text.delta")

        #expect(try stage.simulator.request("DELETE", "/api/session/\(session)").status == 204)

        let deleted = try stage.next("session.deleted")

        #expect(deleted.encoded == #"{"sessionID":"\#(session)"}"#)
        #expect(stage.events.last?["location"] == nil)
        #expect(try stage.simulator.get("/api/session/\(session)").status == 404)
        #expect(try stage.simulator.post("/api/experimental/session/\(session)/wait").status == 404)
    }

    /// A failure ends its turn, but not the session.
    @Test func `a prompt after a failed turn is answered`() throws {
        let stage = try Stage2()
        let session = try stage.turn("talk", "unauthorized please")
        try stage.next("session.execution.failed")
        try stage.prompt(session, "talk again")
        try stage.next("session.execution.succeeded")
        let data = try stage.simulator.get("/api/session/\(session)").json["data"]

        #expect(data?["outcome"] == "succeeded")
    }

    @Test func `a form accepts one reply, which must match its fields`() throws {
        let stage = try Stage2()
        let session = try stage.turn("question")
        let form = try stage.next("form.created")["form"]?["id"]?.text ?? ""
        let path = "/api/session/\(session)/form/\(form)"

        #expect(try stage.simulator.get(path).json["data"]?["state"]?["status"] == "pending")
        #expect(try stage.simulator.post("\(path)/reply", #"{"answer":{"q0":42}}"#).status == 400)
        #expect(try stage.simulator.post("\(path)/reply", #"{"answer":{"q0":"Right"}}"#).status == 204)

        try stage.next("session.execution.succeeded")
        let state = try stage.simulator.get(path).json["data"]?["state"]

        #expect(state?.encoded == #"{"status":"answered","answer":{"q0":"Right"}}"#)
        #expect(try stage.simulator.post("\(path)/reply", #"{"answer":{"q0":"Left"}}"#).status == 409)
    }

    @Test func `a revert is rejected with 409 while a turn runs`() throws {
        let stage = try Stage2(pace: 100)
        let session = try stage.session("long")
        let message = try stage.prompt(session)
        try stage.next("session.text.delta")
        let refusal = try stage.simulator.post(
            "/api/session/\(session)/revert/stage", #"{"messageID":"\#(message)"}"#)

        #expect(refusal.status == 409)
        #expect(refusal.json["_tag"] == "SessionBusyError")
    }

    @Test func `a prompt with resume false waits in the inbox until the next prompt`() throws {
        let stage = try Stage2()
        let session = try stage.session("talk")
        let path = "/api/session/\(session)/prompt"
        let body = #"{"id":"msg_mine","text":"later","resume":false}"#

        #expect(try stage.simulator.post(path, body).json["data"]?["id"] == "msg_mine")
        #expect(try stage.simulator.get("/api/session/active").text == #"{"data":{}}"#)
        #expect(try stage.simulator.post(path, body).status == 409)

        try stage.prompt(session, "now")
        try stage.next("session.execution.succeeded")
        let texts = try stage.simulator.get("/api/session/\(session)/message?type=user&order=asc").json["data"]?
            .elements

        #expect(texts?.map { $0["text"] } == ["later", "now"])
    }
}
