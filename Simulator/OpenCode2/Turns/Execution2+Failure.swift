// SPDX-License-Identifier: Apache-2.0

/// Runs turns that fail or never end.
extension Execution2 {
    static var interruption: JSON { ["type": "aborted", "message": "Step interrupted"] }

    static var refusal: JSON {
        [
            "type": "provider.auth", "message": "Method doesn't allow unregistered callers", "status": 401,
        ]
    }

    private static var rateLimit: JSON {
        ["type": "provider.rate-limit", "message": "Rate limit reached", "status": 429]
    }

    private static var brokenOutput: JSON {
        [
            "type": "provider.invalid-output", "message": "OpenAI Chat stream ended without finish_reason",
            "status": 200,
        ]
    }

    /// Returns the error for a model that the configuration does not contain.
    func unavailable() throws(Ending) -> JSON {
        let model = try session().model ?? .standard
        return [
            "type": "provider.no-route", "message": .string("Model unavailable: \(model.providerID)/\(model.id)"),
        ]
    }

    /// Retries the step, as after a provider's status 429, until the turn is interrupted.
    func retryForEver() throws(Ending) -> Bool {
        var step = try startStep()
        var attempt = 1
        while true {
            attempt += 1
            try retry(step, attempt: attempt, after: Execution2.rateLimit)
            step = try startStep(step)
        }
    }

    /// Simulates a provider that aborts every response. After each abort, the server requests a continuation from the
    /// model.
    func breakOffForEver() throws(Ending) -> Bool {
        var attempt = 1
        while true {
            attempt += 1
            let step = try startStep()
            try publish(step, "session.text.started", members: [("ordinal", 0)])
            var text = ""
            do throws(Ending) {
                for delta in ["The answer begins here ", "and breaks "] {
                    try pauseForDelta()
                    text += delta
                    try publishDelta(step, "session.text.delta", delta: delta)
                }
            } catch {
                try complete(step, text)
                try streamed(step)
                try fail(step, Execution2.interruption)
                throw error
            }
            try complete(step, text)
            try streamed(step)
            try fail(step, Execution2.brokenOutput)
            try retry(step, attempt: attempt, after: Execution2.brokenOutput)
            let request = "The previous response was interrupted. Go on from there."
            let event = conversation.publish("session.synthetic", in: try session(), [("text", .string(request))])
            let message = "msg_\(event.dropFirst(4))"
            store.store(
                Session2.Message(
                    id: message, type: "synthetic",
                    json: [
                        "id": .string(message), "time": ["created": .integer(Clock.milliseconds)],
                        "text": .string(request), "type": "synthetic",
                    ]), in: id)
        }
    }

    /// Publishes the time of the next attempt, and waits until this time. The first wait takes two seconds. Each
    /// further wait takes twice as long as the previous wait, up to 64 seconds.
    private func retry(_ step: Step2, attempt: Int, after error: JSON) throws(Ending) {
        let delay = 2000 << min(attempt - 2, 5)
        let members: [(String, JSON)] = [
            ("attempt", .integer(attempt)), ("at", .integer(Clock.milliseconds + delay * script.pace / 100)),
            ("error", error),
        ]
        step.retry = JSON.object([]).adding(members)
        store.store(step.message, in: id)
        try publish(step, "session.retry.scheduled", members: members)
        // Wait at least 10 ms. With a pace of zero, the attempts would flood the stream.
        try pause(max(script.scaled(.milliseconds(delay)), .milliseconds(10)))
    }
}
