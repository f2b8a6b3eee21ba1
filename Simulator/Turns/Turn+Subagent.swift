// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Runs subagents. Each subagent has its own session. The subagent's turn runs while the parent's turn waits.
extension Turn {
    /// Runs a child session, as the `task` tool does.
    func delegate(_ part: inout Part) throws(TurnControl.Aborted) {
        let description = "Look around"
        let words = ["The ", "child ", "session ", "found ", "it."]
        let input: JSON = [
            "description": .string(description), "prompt": "List the files", "subagent_type": "general",
        ]
        if !traits.titlesTaskAtOnce { change(&part) { $0.run(input) } }
        let child = conversation.create(
            directory: session.directory, title: "\(description) (@general subagent)", parentID: session.id,
            isRestricted: true)
        let layout = profile.layouts.taskMetadata
        var metadata: [String: JSON?] = [
            "parentSessionId": .string(session.id), "sessionId": .string(child.id),
            "model": [
                "modelID": .string(prompt.message.model.modelID),
                "providerID": .string(prompt.message.model.providerID),
            ],
        ]
        change(&part) {
            if self.traits.titlesTaskAtOnce { $0.run(input) }
            $0.title = description
            $0.metadata = layout.object(metadata)
        }
        var childScript = script
        childScript.scenario = .talk
        childScript.silence = script.scaled(.milliseconds(30))
        let childPrompt = conversation.accept(
            "List the files", model: prompt.message.model, script: childScript, says: words, in: child)
        if traits.titlesTaskAtOnce { publish(part) }
        endText()
        let answer = conversation.run(childPrompt, control: TurnControl(abort: control.abort))
        try control.pause(.zero)
        metadata["truncated"] = .bool(false)
        metadata["summary"] = .array([])
        change(&part) {
            $0.complete(
                output: self.traits.taskOutput(child.id, answer == nil ? "" : words.joined()), title: description,
                metadata: layout.object(metadata))
        }
    }
}
