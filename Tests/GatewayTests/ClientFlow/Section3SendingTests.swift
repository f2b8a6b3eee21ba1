import TestKit
import Testing

@testable import opencode_simulator

@Suite("Client flow, section 3: message send and receive")
struct Section3SendingTests {
    @Test(
        "A message in the critical format is answered 204 at once, and events tell the rest",
        arguments: OpenCodeVersion.spoken)
    func sending(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()
        let start = ContinuousClock.now
        // The turn takes much longer than the answer to the request.
        #expect(try app.send("Hello [silent=3s]", to: session) == 204)
        #expect(ContinuousClock.now - start < .seconds(3))
        try events.readTurn(of: session, app.profile)
        let messages = try #require(try app.api("GET", "/session/\(session)/message").json.elements)
        #expect(messages.map { $0["info"]?["role"]?.text } == ["user", "assistant"])
        #expect(messages[0]["parts"]?.elements?.first?["text"]?.text == "Hello [silent=3s]")
    }

    @Test("The wrong format fails silently: 204, and another model answers", arguments: OpenCodeVersion.spoken)
    func wrongFormat(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()
        let wrong = #"{"providerID":"simulator","modelID":"think","parts":[{"type":"text","text":"Hello"}]}"#
        #expect(try app.api("POST", "/session/\(session)/prompt_async", wrong).status == 204)
        let message = try events.next("message.updated") { $0["info"]?["role"] == "assistant" }
        #expect(message["info"]?["modelID"]?.text == "talk")
    }

    @Test("What the app has drawn piece by piece is what the message has in the end", arguments: OpenCodeVersion.spoken)
    func textIsWhole(_ version: OpenCodeVersion) throws {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()
        #expect(try app.send("Hello", to: session) == 204)
        try events.readTurn(of: session, app.profile)
        let messages = try #require(try app.api("GET", "/session/\(session)/message").json.elements)
        let answer = try #require(messages.last)
        let stored = answer["parts"]?.elements?.first { $0["type"] == "text" }?["text"]?.text
        #expect(events.shownText(of: answer["info"]?["id"]?.text ?? "") == stored)
        #expect(stored?.contains("naïve café, 日本語, 🚀") == true)
    }
}
