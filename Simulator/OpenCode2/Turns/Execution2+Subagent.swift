// SPDX-License-Identifier: Apache-2.0

/// Runs subagents. Each subagent has its own session. The subagent's turn runs while the parent's turn waits.
extension Execution2 {
    /// Runs the tool call in a child session.
    func delegate(_ call: inout ToolCall2, of step: Step2) throws(Ending) {
        let session = try session()
        var model = session.model ?? .standard
        model.variant = model.variant ?? "default"
        let child = Session2(
            directory: session.directory, project: session.project, parentID: id, agent: "general", model: model,
            title: "Look around")
        _ = conversation.create(child)
        try progress(&call, of: step, ["sessionID": .string(child.id), "status": "running"])
        let text = "You are a subagent spawned by another session.\nList the files"
        conversation.enqueue(.user, ["text": .string(text)], in: child.id)
        let found = "The child session found it."
        // The child shares the latch of the parent, so that an interrupt of the parent also interrupts the child.
        if let turn = store.startExecution(child.id, abort: control.abort) {
            let execution = Execution2(conversation, session: child.id, turn)
            execution.words = TurnScript.words(of: found)
            execution.run()
        }
        try pause(.zero)
        try succeed(
            &call, of: step,
            "<subagent sessionID=\"\(child.id)\" state=\"completed\">\n\(found)\n</subagent>",
            metadata: ["sessionID": .string(child.id), "status": "completed", "truncated": false])
    }
}
