// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Runs the calls of the model.
extension Execution2 {
    /// Runs one call of the model. Returns whether the model must be called again, as after a tool call.
    func step() throws(Ending) -> Bool {
        if try session().model?.isKnown == false { throw .failed(try unavailable()) }
        switch script.scenario {
        case .ratelimit: return try retryForEver()
        case .cutoff: return try breakOffForEver()
        case .unauthorized:
            let step = try startStep()
            try fail(step, Execution2.refusal)
            throw Ending.failed(Execution2.refusal)
        case .tools, .ask, .question, .edit, .subagent, .todo:
            if !hasCalledTool {
                hasCalledTool = true
                return try callTool()
            }
            try streamAnswer(try startStep(), saying: TurnScript.words(of: "That is done now."))
        case .think:
            let step = try startStep()
            let reasoningTexts = "First I look at the words, then at what they mean, and then I know."
            try streamAnswer(
                step, saying: script.answer(to: prompt.text), thinking: TurnScript.words(of: reasoningTexts))
        case .talk, .slow, .medium, .fast, .long, .big:
            try streamAnswer(try startStep(), saying: words ?? script.answer(to: prompt.text))
        }
        return false
    }

    /// Waits for the model's first byte, and begins the step.
    func startStep(_ known: Step2? = nil) throws(Ending) -> Step2 {
        let new = Step2(try session())
        let step = known ?? new
        try pause(script.silence)
        let session = try session()
        store.store(step.message, in: id)
        conversation.publish(
            "session.step.started", in: session,
            [
                ("agent", .string(step.agent)), ("model", step.model), ("assistantMessageID", .string(step.id)),
            ] + (step.snapshot.map { [("snapshot", .string($0))] } ?? []) + [("started", .integer(step.started))])
        // If a project remains in use, its use is announced again.
        conversation.locations.use(session.project, in: session.directory)
        return step
    }

    /// Streams the model's reasoning, if any, and its text, and ends the step.
    private func streamAnswer(_ step: Step2, saying parts: [String], thinking reasoningTexts: [String] = [])
        throws(Ending)
    {
        var reasoning: (text: String, started: Int)?
        var text: String?
        do throws(Ending) {
            if let last = reasoningTexts.last {
                try publish(
                    step, "session.reasoning.started", members: [("ordinal", 0), ("state", Step2.reasoningState)])
                reasoning = ("", Clock.milliseconds)
                for reasoningText in deltas(reasoningTexts.dropLast(1)) {
                    try pauseForDelta()
                    reasoning?.text += reasoningText
                    try publishDelta(step, "session.reasoning.delta", delta: reasoningText)
                }
                // The text begins before the last delta of the reasoning is published.
                try publish(step, "session.text.started", members: [("ordinal", 0)])
                text = ""
                reasoning?.text += last
                try publishDelta(step, "session.reasoning.delta", delta: last)
            } else {
                try publish(step, "session.text.started", members: [("ordinal", 0)])
                text = ""
            }
            let all = deltas(parts[...])
            for (index, delta) in all.enumerated() {
                try pauseForDelta()
                text? += delta
                if index == all.count - 1 { try complete(step, &reasoning) }
                try publishDelta(step, "session.text.delta", delta: delta)
            }
            try complete(step, text ?? "")
        } catch {
            try interrupt(step, text: text, reasoning: &reasoning)
            throw error
        }
        try streamed(step)
        try finish(step, "stop")
    }

    /// Ends an interrupted step with its open reasoning text and its open answer text.
    private func interrupt(
        _ step: Step2, text: String?, reasoning: inout (text: String, started: Int)?
    ) throws(Ending) {
        try complete(step, &reasoning)
        if let text { try complete(step, text) }
        try streamed(step)
        try fail(step, Execution2.interruption)
    }

    private func complete(_ step: Step2, _ reasoning: inout (text: String, started: Int)?) throws(Ending) {
        guard let reasoningText = reasoning else { return }
        reasoning = nil
        step.content.append(.reasoning(reasoningText.text, started: reasoningText.started, ended: Clock.milliseconds))
        try publish(
            step, "session.reasoning.ended",
            members: [("ordinal", 0), ("text", .string(reasoningText.text)), ("state", Step2.reasoningState)])
    }

    /// Ends the text of a step.
    func complete(_ step: Step2, _ text: String) throws(Ending) {
        store.update(id, isProgress: true) { $0.spoken = "" }
        // A tool call may have begun in the meantime. Insert the text before the call.
        step.content.insert(.text(text), at: step.content.firstIndex { $0.isTool } ?? step.content.endIndex)
        store.store(step.message, in: id)
        try publish(step, "session.text.ended", members: [("ordinal", 0), ("text", .string(text))])
    }

    /// Publishes a durable event of a step.
    func publish(_ step: Step2, _ type: String, members: [(String, JSON)], version: Int? = 1) throws(Ending) {
        conversation.publish(
            type, in: try session(), [("assistantMessageID", .string(step.id))] + members, version: version)
    }

    /// Publishes a delta, which is not durable.
    func publishDelta(_ step: Step2, _ type: String, delta: String) throws(Ending) {
        if type == "session.text.delta" { store.update(id, isProgress: true) { $0.spoken += delta } }
        try publish(step, type, members: [("ordinal", 0), ("delta", .string(delta))], version: nil)
    }

    /// Publishes that the model's output is complete.
    func streamed(_ step: Step2) throws(Ending) {
        step.streamed = Clock.milliseconds
        store.store(step.message, in: id)
        try publish(step, "session.step.streamed", members: [])
    }

    /// Ends a step that has completed.
    func finish(_ step: Step2, _ reason: String, files: [String] = []) throws(Ending) {
        let session = try session()
        step.finish = reason
        step.rawFinish = reason.replacing("-", with: "_")
        step.usage = .call
        step.completed = Clock.milliseconds
        step.end = (session.snapshot, files)
        store.store(step.message, in: id)
        try publish(
            step, "session.step.ended",
            members: [("finish", .string(reason)), ("rawFinish", .string(step.rawFinish ?? ""))] + Usage2.call.members
                + step.snapshots)
        use(.call)
    }

    /// Ends a step that has failed.
    ///
    /// - Parameter rawFinish: The reason that the model gave for the end of its output, if a user has refused the
    ///   model's tool call; nil for other failures.
    func fail(_ step: Step2, _ error: JSON, rawFinish: String? = nil) throws(Ending) {
        step.finish = "error"
        step.error = error
        step.rawFinish = rawFinish
        step.usage = rawFinish == nil ? nil : .call
        step.completed = Clock.milliseconds
        step.end = (try session().snapshot, [])
        store.store(step.message, in: id)
        try publish(
            step, "session.step.failed",
            members: [("error", error)] + (rawFinish.map { [("rawFinish", .string($0))] + Usage2.call.members } ?? [])
                + step.snapshots)
        if rawFinish != nil { use(.call) }
    }
}

/// Divides a text into deltas. The recorded server sends the text of each tenth of a second in one delta.
extension Execution2 {
    private var wordsPerDelta: Int {
        if script.hasFixedDeltas { return 1 }
        return switch script.scenario {
        case .medium, .fast, .big: 500
        case .long: 10
        default: 5
        }
    }

    func deltas(_ parts: ArraySlice<String>) -> [String] {
        let parts = Array(parts)
        return stride(from: 0, to: parts.count, by: wordsPerDelta).map { start in
            parts[start..<min(start + wordsPerDelta, parts.count)].joined()
        }
    }

    func pauseForDelta() throws(Ending) {
        try pause(script.interval * wordsPerDelta)
    }
}

extension Step2 {
    /// The members `snapshot` and `files` of the event that ends the step.
    fileprivate var snapshots: [(String, JSON)] {
        guard let end, let snapshot = end.snapshot else { return [] }
        return [("snapshot", .string(snapshot)), ("files", .array(end.files.map { .string($0) }))]
    }
}

extension Step2.Content {
    fileprivate var isTool: Bool {
        if case .tool = self { true } else { false }
    }
}
