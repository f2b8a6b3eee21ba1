// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Testing

/// Tests requests that are suspended while their client leaves, their time limit passes or the state changes.
@Suite struct SuspendedRequestTests {
    private let id = ConversationID(session: "ses_1").text

    /// Returns a harness whose client has loaded the conversation.
    private func loaded() -> ConversationHarness {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 1)])
        // After this step, messages do not have to request the models.
        _ = harness.request("GET", "/models")
        harness.open()
        load(&harness)
        _ = harness.got()
        return harness
    }

    private func load(_ harness: inout ConversationHarness) {
        harness.send(#"{"type":"load_conversation","conversationId":"\#(id)"}"#)
    }

    private func send(_ text: String, to id: String, _ harness: inout ConversationHarness) {
        harness.send(#"{"type":"user_message","conversationId":"\#(id)","content":"\#(text)"}"#)
    }

    // MARK: Clients that leave

    @Test(arguments: ["list_conversations", "load_conversation"])
    func `a query ends when its client leaves, and releases the chat`(type: String) {
        var harness = loaded()
        harness.server.requests = []
        harness.heldResponses = ["GET /session", "GET /session/ses_1/message"]
        harness.send(#"{"type":"\#(type)","conversationId":"\#(id)"}"#)
        let whileWaiting = harness.suspendedTasks

        harness.leave()
        let isRetained = harness.retainsSession
        let afterLeaving = harness.suspendedTasks
        harness.release()

        #expect(whileWaiting == 1)
        #expect(!isRetained)
        #expect(afterLeaving == 0)
        #expect(harness.server.requests.count == 1)
    }

    @Test func `a conversation keeps the id that its client chose although the client leaves before the response`() {
        let chosen = "01890a5d-ac96-774b-bcce-b302099a8057"
        var harness = loaded()
        harness.heldResponses = ["POST /session"]
        harness.send(#"{"type":"new_conversation","conversationId":"\#(chosen)"}"#)

        harness.leave()
        harness.release()

        #expect(harness.state.session(ConversationID(chosen) ?? ConversationID(session: "")) == "ses_made1")
        #expect(harness.suspendedTasks == 0)
    }

    @Test func `a prompt that waits for the end of an aborted answer is not sent after its key is revoked`() {
        var harness = aborted()

        harness.revoke()
        harness.expireWaits()

        #expect(harness.server.prompts.isEmpty)
        #expect(harness.suspendedTasks == 0)
    }

    @Test func `a prompt continues when its client leaves, and then releases the chat`() {
        var harness = loaded()
        harness.holdsRequests = true
        send("hi", to: id, &harness)

        harness.leave()
        let isRetained = harness.retainsSession
        harness.release()
        let isRetainedAfterResponse = harness.retainsSession

        #expect(isRetained)
        #expect(!isRetainedAfterResponse)
        #expect(harness.server.prompts.count == 1)
        #expect(harness.suspendedTasks == 0)
    }

    @Test func `a request that only reads ends without a response when its client leaves`() {
        var harness = loaded()
        harness.server.requests = []
        harness.heldResponses = ["GET /session/ses_1/message"]
        let early = harness.request("GET", "/conversations/\(id)")

        harness.cancelRequest()
        let afterLeaving = harness.suspendedTasks
        harness.release()
        let late = harness.removeAnswer()

        #expect(early == nil)
        #expect(afterLeaving == 0)
        #expect(late == nil)
        #expect(harness.server.requests.count == 1)
    }

    // MARK: Time limits

    /// Returns a harness with an aborted answer whose end OpenCode has not reported.
    private func aborted() -> ConversationHarness {
        var harness = loaded()
        harness.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
        harness.state.expectAbort(of: "ses_1")
        harness.holdsWaits = true
        send("next", to: id, &harness)
        _ = harness.got()
        return harness
    }

    @Test func `a message waits for the end of an aborted answer until the time limit`() {
        var harness = aborted()
        let whileWaiting = harness.server.prompts.count

        harness.expireWaits()

        #expect(whileWaiting == 0)
        #expect(harness.server.prompts.count == 1)
        #expect(!harness.state.isEnding("ses_1"))
        #expect(harness.suspendedTasks == 0)
    }

    @Test func `a message is sent once when the aborted answer ends before the time limit`() {
        var harness = aborted()

        harness.receiveEvent(
            "session.error",
            ["sessionID": "ses_1", "error": ["name": "MessageAbortedError", "data": ["message": "Aborted"]]])
        harness.receiveEvent(
            "message.updated", ["info": FakeOpenCode1.assistantInfo("msg_3", to: "msg_2", isDone: true)])
        harness.idle("ses_1")
        harness.expireWaits()

        #expect(harness.server.prompts.count == 1)
        #expect(harness.suspendedTasks == 0)
    }

    // MARK: Changes of the state

    @Test func `a conversation that is deleted while it is loaded is not shown`() {
        var harness = loaded()
        harness.heldResponses = ["GET /session/ses_1/message"]
        load(&harness)
        let session = harness.server.shown(harness.server.sessions[0])

        harness.receiveEvent("session.deleted", ["sessionID": "ses_1", "info": session])
        harness.release()

        #expect(harness.got().map { $0["type"] } == ["conversation_deleted", "error"])
        #expect(harness.state.session(ConversationID(session: "ses_1")) == nil)
    }

    @Test func `a conversation that another client creates while it is searched for is used`() {
        var harness = loaded()
        harness.open(2)
        harness.heldResponses = ["GET /session"]
        send("one", to: ConversationHarness.mine, &harness)
        harness.heldResponses = []
        harness.send(
            #"{"type":"user_message","conversationId":"\#(ConversationHarness.mine)","content":"two"}"#, 2)

        harness.release()

        #expect(harness.server.sessions.map(\.id) == ["ses_1", "ses_made1"])
        #expect(harness.server.requests.count { $0 == "POST /session/ses_made1/prompt_async" } == 2)
        #expect(!harness.server.requests.contains { $0.hasPrefix("DELETE") })
    }

    @Test func `an answer that begins while a message is prepared is aborted before the message`() {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 1)])
        harness.heldResponses = ["GET /session"]
        _ = harness.request("POST", "/conversations/\(id)/messages", body: ["text": "hi"])
        harness.startTurn("ses_1", "msg_2", "earlier", answer: "msg_3")

        harness.release()

        #expect(harness.server.requests.suffix(2) == ["POST /session/ses_1/abort", "POST /session/ses_1/prompt_async"])
    }

    @Test func `the check after an abort does not end a prompt that another client sends during the abort`() {
        var harness = loaded()
        harness.open(2)
        harness.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
        harness.heldResponses = ["POST /session/ses_1/abort"]
        harness.send(#"{"type":"cancel_generation","conversationId":"\#(id)"}"#)
        harness.heldResponses = []
        harness.send(#"{"type":"user_message","conversationId":"\#(id)","content":"next"}"#, 2)
        let prompts = harness.server.prompts.count
        _ = harness.got(2)

        harness.release()

        #expect(prompts == 1)
        #expect(harness.server.requests.contains("GET /session/status"))
        #expect(harness.got(2).count { $0["type"] == "assistant_done" } == 1)
        #expect(harness.state.isBusy("ses_1"))
    }
}
