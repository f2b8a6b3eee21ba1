// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Client flow, section 3: message send and receive", .onTestThreads)
struct Section3SendingTests {
    @Test(
        arguments: OpenCodeVersion.spoken)
    func `a message in the documented format is answered with 204 before its turn ends`(_ version: OpenCodeVersion)
        throws
    {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()
        let start = ContinuousClock.now

        // The turn takes much longer than the response to the request.
        #expect(try app.send("Hello [silent=3s]", to: session) == 204)
        #expect(ContinuousClock.now - start < .seconds(3))

        try events.readTurn(of: session, app.profile)
        let messages = try #require(try app.api("GET", "/session/\(session)/message").json.elements)

        #expect(messages.map { $0["info"]?["role"]?.text } == ["user", "assistant"])
        #expect(messages[0]["parts"]?.elements?.first?["text"]?.text == "Hello [silent=3s]")
    }

    @Test(arguments: OpenCodeVersion.spoken)
    func `a message in the wrong format is answered with 204 and is answered by another model`(
        _ version: OpenCodeVersion
    )
        throws
    {
        let app = try PhoneApp(version)
        let (session, events) = try app.becomeReady()
        let wrong = #"{"providerID":"simulator","modelID":"think","parts":[{"type":"text","text":"Hello"}]}"#

        #expect(try app.api("POST", "/session/\(session)/prompt_async", wrong).status == 204)

        let message = try events.next("message.updated") { $0["info"]?["role"] == "assistant" }

        #expect(message["info"]?["modelID"]?.text == "talk")
    }

    @Test(arguments: OpenCodeVersion.spoken)
    func `the displayed text parts add up to the stored message`(_ version: OpenCodeVersion) throws {
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
