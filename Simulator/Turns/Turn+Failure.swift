// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Runs turns that fail or never end.
extension Turn {
    /// Ends the turn with the provider's rejection of the API key.
    func failWithProviderError() {
        let text = "Method doesn't allow unregistered callers"
        let body = #"{"error": {"message": "\#(text)", "type": "invalid_request_error", "code": "invalid_api_key"}}"#
        let data = profile.layouts.providerErrorData.object([
            "message": .string(text), "statusCode": 401, "isRetryable": false,
            "responseHeaders": [
                "connection": "close", "content-length": .string("\(body.utf8.count)"),
                "content-type": "application/json",
            ], "responseBody": .string(body), "metadata": ["url": "http://127.0.0.1:9911/v1/chat/completions"],
        ])
        message.error = ["name": "APIError", "data": data]
        publishError()
        if traits.errorPrecedesMessage { conversation.publishIdle(session) }
        message.completed = Clock.milliseconds
        publishMessage()
        store.release(session.id)
        conversation.publishIdle(session)
        control.isSettled.open()
    }

    /// Retries the step, as after a provider's status 429, until the turn is aborted.
    func retryForEver() throws(TurnControl.Aborted) {
        var attempt = 0
        while true {
            attempt += 1
            let delay = script.scaled(.seconds(2))
            let status: JSON = [
                "type": "retry", "attempt": .integer(attempt), "message": "Rate limit reached",
                "next": .integer(Clock.milliseconds + 2000 * script.pace / 100),
            ]
            store.update(session.id) { $0.status = status }
            conversation.publishStatus(status, session)
            // Wait at least 10 ms. With a pace of zero, the attempts would flood the stream.
            try control.pause(max(delay, .milliseconds(10)))
            conversation.publishBusy(session)
        }
    }

    /// Publishes the abort of the turn, in the version's order.
    func beAborted() {
        let isRetrying = script.scenario == .ratelimit
        let error: JSON = ["name": "MessageAbortedError", "data": ["message": .string(traits.abortMessage)]]
        // 1.18.33 does not treat an abort between two attempts as an error.
        if !isRetrying || traits.abort != .errorFirst { message.error = error }
        if traits.abort != .errorFirst { return endAfterAnswer(isRetrying: isRetrying) }
        message.completed = Clock.milliseconds
        if !isRetrying { publishError() }
        failOpenTools()
        if !isRetrying { conversation.publishIdle(session) }
        endText()
        publishMessage()
        // Release the session before the last idle event. A client that receives this event sends the next prompt.
        store.release(session.id)
        conversation.publishIdle(session)
        settle()
    }

    /// Ends an aborted turn in versions before 1.18. In these versions, the session is idle and the abort receives its
    /// response before the turn's loop has ended. The loop loses prompts that arrive in the meantime. In measurements
    /// with 1.1.11 and 1.2.27, a prompt after the abort's response was answered in 0 of 4 attempts. `message.updated`
    /// with the error followed 20 to 60 ms later. A prompt after this event was answered in 8 of 8 attempts.
    private func endAfterAnswer(isRetrying: Bool) {
        let isIdleBetween = traits.abort == .idleBetween
        store.beginEnding(session.id)
        conversation.publishIdle(session)
        settle()
        if !isRetrying { publishError() }
        failOpenTools()
        if isIdleBetween, !isRetrying { conversation.publishIdle(session) }
        _ = Latch("the turn's end").isOpened(within: script.scaled(.milliseconds(Int.random(in: 20...60))))
        store.losePrompts(session.id)
        message.completed = Clock.milliseconds
        publishMessage()
        if isIdleBetween { conversation.publishIdle(session) }
        store.release(session.id)
    }

    /// Signals that the abort was published, so that the abort request receives its response.
    private func settle() {
        control.wasAborted.open()
        control.isSettled.open()
    }

    private func failOpenTools() {
        for var part in message.parts {
            guard case .tool(let call) = part.content, call.status == .pending || call.status == .running else {
                continue
            }
            change(&part) { $0.fail("Tool execution aborted") }
        }
    }

    private func publishError() {
        conversation.publish(
            "session.error", ["sessionID": .string(session.id), "error": message.error ?? .null], in: session)
    }
}
