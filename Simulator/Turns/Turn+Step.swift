// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Runs one step, which is the output of one call of the model.
extension Turn {
    /// Runs a step without tools: streams the reasoning and the text, and ends the step.
    func step(
        reasoning: [String] = [], text: [String], reason: String
    ) throws(TurnControl.Aborted) {
        beginStep()
        let reasoningPart = reasoning.isEmpty ? nil : try stream(reasoning) { Part(content: .reasoning($0)) }
        if let reasoningPart, !traits.reasoningEndsWithText { complete(reasoningPart) }
        openText = try stream(text) { Part(content: .text($0)) }
        if let reasoningPart, traits.reasoningEndsWithText { complete(reasoningPart) }
        endText()
        endStep(reason: reason)
    }

    func beginStep() {
        publish(Part(content: .stepStart(snapshot: SHA1.hexadecimal(session.id))))
    }

    /// Streams the text before a tool call.
    func streamText(_ deltas: [String]) throws(TurnControl.Aborted) {
        openText = try stream(deltas) { Part(content: .text($0)) }
    }

    /// Ends the open text part.
    func endText() {
        if let openText { complete(openText) }
        openText = nil
    }

    /// Ends the step. If a tool was refused, the session does not become busy again.
    ///
    /// - Parameter patch: The files that the step has written.
    func endStep(reason: String, patch: [String] = [], isBusyAgain: Bool = true) {
        message.finish = reason
        message.usage = reason == "unknown" ? Usage(isKnown: false) : .step
        let snapshot = SHA1.hexadecimal(session.id)
        publish(
            Part(
                content: .stepFinish(reason: reason, snapshot: snapshot, usage: message.usage ?? Usage(isKnown: false)))
        )
        publishMessage()
        if !patch.isEmpty { publish(Part(content: .patch(hash: snapshot, files: patch))) }
        message.completed = Clock.milliseconds
        store.update(session.id) {
            $0.usage.input += Usage.step.input
            $0.usage.output += Usage.step.output
        }
        publishMessage()
        if isBusyAgain { conversation.publishBusy(session) }
    }

    /// Streams deltas into a new part, and returns the open part.
    private func stream(
        _ deltas: [String], into make: (TextBlock) -> Part
    ) throws(TurnControl.Aborted) -> Part {
        var block = TextBlock(text: "", started: Clock.milliseconds)
        var part = make(block)
        if !traits.streamsWholeText { publish(part) }
        for (index, delta) in deltas.enumerated() {
            if index > 0 { try control.pause(script.interval) }
            block.text += delta
            part.content = make(block).content
            if case .text = part.content { openText = part }
            if traits.streamsWholeText {
                publish(part, delta: delta)
            } else {
                // Since 1.2, a delta is only an event, and the stored part remains empty until the text is complete.
                conversation.publishDelta(delta, of: part, (message.id, session))
            }
        }
        return part
    }

    private func complete(_ part: Part) {
        var part = part
        switch part.content {
        case .text(let block): part.content = .text(ended(block))
        case .reasoning(let block): part.content = .reasoning(ended(block))
        case .stepStart, .stepFinish, .tool, .patch: return
        }
        publish(part)
    }

    private func ended(_ block: TextBlock) -> TextBlock {
        var block = block
        block.ended = Clock.milliseconds
        if traits.trimsText, let last = block.text.lastIndex(where: { !$0.isWhitespace }) {
            block.text = String(block.text[...last])
        }
        return block
    }
}
