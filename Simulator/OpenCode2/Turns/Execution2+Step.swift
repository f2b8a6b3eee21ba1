// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A call of the model.
extension Execution2 {
    /// Runs one call of the model. Returns whether the model must be called again, as after a tool call.
    func step() throws(Ending) -> Bool {
        if try session().model?.isKnown == false { throw .failed(try unavailable()) }
        switch script.scenario {
        case .ratelimit: return try retryForEver()
        case .cutoff: return try breakOffForEver()
        case .unauthorized:
            let step = try begin()
            try fail(step, Execution2.refusal)
            throw Ending.failed(Execution2.refusal)
        case .tools, .ask, .question, .edit, .subagent, .todo:
            if !hasCalledTool {
                hasCalledTool = true
                return try callTool()
            }
            try talk(try begin(), saying: TurnScript.words(of: "That is done now."))
        case .think:
            let step = try begin()
            let thoughts = "First I look at the words, then at what they mean, and then I know."
            try talk(step, saying: script.answer(to: prompt.text), thinking: TurnScript.words(of: thoughts))
        case .talk, .slow, .medium, .fast, .long, .big:
            try talk(try begin(), saying: words ?? script.answer(to: prompt.text))
        }
        return false
    }

    /// Waits for the model's first byte, which begins the step.
    func begin(_ known: Step2? = nil) throws(Ending) -> Step2 {
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
    private func talk(_ step: Step2, saying pieces: [String], thinking thoughts: [String] = []) throws(Ending) {
        var reasoning: (text: String, started: Int)?
        var text: String?
        do throws(Ending) {
            if let last = thoughts.last {
                try tell(step, "session.reasoning.started", members: [("ordinal", 0), ("state", Step2.reasoningState)])
                reasoning = ("", Clock.milliseconds)
                for thought in deltas(thoughts.dropLast(1)) {
                    try pauseForDelta()
                    reasoning?.text += thought
                    try publishDelta(step, "session.reasoning.delta", delta: thought)
                }
                // The text begins before the last delta of the reasoning is published.
                try tell(step, "session.text.started", members: [("ordinal", 0)])
                text = ""
                reasoning?.text += last
                try publishDelta(step, "session.reasoning.delta", delta: last)
            } else {
                try tell(step, "session.text.started", members: [("ordinal", 0)])
                text = ""
            }
            let all = deltas(pieces[...])
            for (index, piece) in all.enumerated() {
                try pauseForDelta()
                text? += piece
                if index == all.count - 1 { try end(step, &reasoning) }
                try publishDelta(step, "session.text.delta", delta: piece)
            }
            try end(step, text ?? "")
        } catch {
            try breakOff(step, text: text, reasoning: &reasoning)
            throw error
        }
        try streamed(step)
        try finish(step, "stop")
    }

    /// Ends the open reasoning text, the open answer text, and an interrupted step.
    private func breakOff(
        _ step: Step2, text: String?, reasoning: inout (text: String, started: Int)?
    ) throws(Ending) {
        try end(step, &reasoning)
        if let text { try end(step, text) }
        try streamed(step)
        try fail(step, Execution2.interruption)
    }

    private func end(_ step: Step2, _ reasoning: inout (text: String, started: Int)?) throws(Ending) {
        guard let thought = reasoning else { return }
        reasoning = nil
        step.content.append(.reasoning(thought.text, started: thought.started, ended: Clock.milliseconds))
        try tell(
            step, "session.reasoning.ended",
            members: [("ordinal", 0), ("text", .string(thought.text)), ("state", Step2.reasoningState)])
    }

    /// Ends the text of a step.
    func end(_ step: Step2, _ text: String) throws(Ending) {
        store.update(id, isProgress: true) { $0.spoken = "" }
        // A tool call that has begun in the meantime follows the text.
        step.content.insert(.text(text), at: step.content.firstIndex { $0.isTool } ?? step.content.endIndex)
        store.store(step.message, in: id)
        try tell(step, "session.text.ended", members: [("ordinal", 0), ("text", .string(text))])
    }

    /// Publishes a durable event of a step.
    func tell(_ step: Step2, _ type: String, members: [(String, JSON)], version: Int? = 1) throws(Ending) {
        conversation.publish(
            type, in: try session(), [("assistantMessageID", .string(step.id))] + members, version: version)
    }

    /// Publishes a delta, which is not durable.
    func publishDelta(_ step: Step2, _ type: String, delta: String) throws(Ending) {
        if type == "session.text.delta" { store.update(id, isProgress: true) { $0.spoken += delta } }
        try tell(step, type, members: [("ordinal", 0), ("delta", .string(delta))], version: nil)
    }

    /// Publishes that the model's response is complete.
    func streamed(_ step: Step2) throws(Ending) {
        step.streamed = Clock.milliseconds
        store.store(step.message, in: id)
        try tell(step, "session.step.streamed", members: [])
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
        try tell(
            step, "session.step.ended",
            members: [("finish", .string(reason)), ("rawFinish", .string(step.rawFinish ?? ""))] + Usage2.call.members
                + step.snapshots)
        use(.call)
    }

    /// Ends a step that has failed.
    ///
    /// - Parameter rawFinish: The model's reason for stopping, if its tool was refused.
    func fail(_ step: Step2, _ error: JSON, rawFinish: String? = nil) throws(Ending) {
        step.finish = "error"
        step.error = error
        step.rawFinish = rawFinish
        step.usage = rawFinish == nil ? nil : .call
        step.completed = Clock.milliseconds
        step.end = (try session().snapshot, [])
        store.store(step.message, in: id)
        try tell(
            step, "session.step.failed",
            members: [("error", error)] + (rawFinish.map { [("rawFinish", .string($0))] + Usage2.call.members } ?? [])
                + step.snapshots)
        if rawFinish != nil { use(.call) }
    }
}

/// Divides a text into deltas. The recorded server sends all text of a tenth of a second in one delta.
extension Execution2 {
    private var piecesOfDelta: Int {
        if script.piecesAreGiven { return 1 }
        return switch script.scenario {
        case .medium, .fast, .big: 500
        case .long: 10
        default: 5
        }
    }

    func deltas(_ pieces: ArraySlice<String>) -> [String] {
        let pieces = Array(pieces)
        return stride(from: 0, to: pieces.count, by: piecesOfDelta).map { start in
            pieces[start..<min(start + piecesOfDelta, pieces.count)].joined()
        }
    }

    func pauseForDelta() throws(Ending) {
        try pause(script.interval * piecesOfDelta)
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
