// SPDX-License-Identifier: Apache-2.0

/// Performs the operations of a session that need no model.
extension Conversation {
    /// Creates a session with the same messages, and publishes the messages as new messages.
    func fork(_ session: Session) -> Session {
        let title = "\(session.title) (fork #1)"
        let fork = create(directory: session.directory, title: title, parentID: nil)
        for message in session.messages {
            switch message {
            case .user(let original):
                var copy = UserMessage(sessionID: fork.id, text: original.text, model: original.model)
                copy.changes = original.changes
                copy.title = original.title
                store.store(.user(copy), in: fork.id)
                publishInfo(copy.info(profile.layouts.event.user, profile.layouts), fork)
                publishPart(copy.part, of: (copy.id, fork), profile.layouts.forked)
            case .assistant(let original):
                let copy = original.copied(to: fork.id)
                store.store(.assistant(copy), in: fork.id)
                publishInfo(copy.info(profile.layouts.forked, profile.layouts), fork)
                for part in copy.parts { publishPart(part, of: (copy.id, fork), profile.layouts.forked) }
            }
        }
        return fork
    }

    /// Runs a user's shell command, which needs no permission. Supports only the commands that ``Shell`` supports.
    func runShell(_ command: String, model: Session.Model, in session: Session) -> AssistantMessage {
        let look = profile.layouts.shellEvent
        if profile.turns.newModelUpdatesSession { publishBusy(session) }
        let user = UserMessage(
            sessionID: session.id, text: "The following tool was executed by the user", model: model, isSynthetic: true)
        store.store(.user(user), in: session.id)
        publishInfo(user.info(look.user, profile.layouts), session)
        publishPart(user.part, of: (user.id, session), look)

        var message = AssistantMessage(
            sessionID: session.id, parentID: user.id, model: model, directory: session.directory)
        publishInfo(message.info(look, profile.layouts), session)
        var call = ToolCall(tool: "bash")
        call.run(["command": .string(command)])
        var part = Part(content: .tool(call))
        publishPart(part, of: (message.id, session), look)
        var shell = Shell()
        let output = shell.output(of: command)
        call.metadata = profile.layouts.bashMetadata.object(["output": .string(output), "description": ""])
        part.content = .tool(call)
        publishPart(part, of: (message.id, session), look)
        message.completed = Clock.milliseconds
        publishInfo(message.info(look, profile.layouts), session)
        call.complete(output: output, title: "", metadata: call.metadata ?? [:])
        part.content = .tool(call)
        message.store(part)
        store.store(.assistant(message), in: session.id)
        publishPart(part, of: (message.id, session), look)
        publishIdle(session)
        return message
    }
}
