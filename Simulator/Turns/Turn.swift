// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A turn of the simulated model. The turn publishes the events of the model's answer in the recorded order and at the
/// script's pace. Only one thread uses a turn.
final class Turn {
    let conversation: Conversation
    let prompt: Conversation.Prompt
    let session: Session
    let control: TurnControl
    /// The message of the running step.
    var message: AssistantMessage
    /// The text part that is being streamed.
    var openText: Part?

    var profile: Profile { conversation.profile }
    var traits: Profile.Turns { conversation.profile.turns }
    var script: TurnScript { prompt.script }
    var store: SessionStore { conversation.store }

    init(_ conversation: Conversation, prompt: Conversation.Prompt, session: Session, control: TurnControl) {
        self.conversation = conversation
        self.prompt = prompt
        self.session = session
        self.control = control
        message = Turn.message(prompt, session)
    }

    private static func message(_ prompt: Conversation.Prompt, _ session: Session) -> AssistantMessage {
        AssistantMessage(
            sessionID: session.id, parentID: prompt.message.id, model: prompt.message.model,
            directory: session.directory)
    }

    /// Runs the turn until it finishes, fails or is aborted, and releases the session.
    func run() -> AssistantMessage {
        do {
            conversation.publishBusy(session)
            publishMessage()
            prepare()
            try control.pause(script.silence)
            try perform()
        } catch {
            beAborted()
        }
        return message
    }

    private func perform() throws(TurnControl.Aborted) {
        switch script.scenario {
        case .unauthorized: failWithProviderError()
        case .ratelimit: try retryForEver()
        case .cutoff:
            while true {
                try step(text: ["The ", "answer ", "begins ", "here ", "and ", "breaks "], reason: "unknown")
                try beginNextStep()
            }
        case .tools, .ask, .question, .edit, .todo, .subagent:
            guard try performTool() else { return finish() }
            try beginNextStep()
            try step(text: ["That ", "is ", "done ", "now."], reason: "stop")
            finish()
        case .think:
            try step(
                reasoning: TurnScript.words(
                    of: "First I look at the words, then at what they mean, and then I know."),
                text: script.answer(to: prompt.message.text), reason: "stop")
            finish()
        case .talk, .slow, .medium, .fast, .long, .big:
            try step(text: prompt.words ?? script.answer(to: prompt.message.text), reason: "stop")
            finish()
        }
    }

    /// Prepares the model's call: sets the title of a new session, and publishes the summaries of the changes.
    private func prepare() {
        let isUntitled = session.hasDefaultTitle && store[session.id]?.hasDefaultTitle == true
        if isUntitled {
            let words = TurnScript.withoutOptions(prompt.message.text).split(whereSeparator: \.isWhitespace).prefix(6)
            store.update(session.id) {
                $0.title = words.joined(separator: " ")
                $0.hasDefaultTitle = false
            }
            conversation.publishSession(session.id)
        }
        publish(traits.summaryAtStart, isFirst: true)
        if traits.titlesPrompt, isUntitled { publish([.user]) }
        conversation.bus.announceCatalogue(directory: session.directory)
        conversation.publishBusy(session)
    }

    private func beginNextStep() throws(TurnControl.Aborted) {
        try control.pause(.zero)
        message = Turn.message(prompt, session)
        // OpenCode writes the summary concurrently with the turn. The simulator publishes the summary before or after
        // the message, as in most recordings of the version.
        if traits.summaryPrecedesIdle { publish(traits.summaryBetween) }
        publishMessage()
        if !traits.summaryPrecedesIdle { publish(traits.summaryBetween) }
        conversation.publishBusy(session)
    }

    private func finish() {
        if traits.summaryPrecedesIdle { publish(traits.summaryAtEnd) }
        // Release the session before the idle event. A client that receives this event requests the status or sends the
        // next prompt.
        store.release(session.id)
        conversation.publishIdle(session)
        control.isSettled.open()
        if !traits.summaryPrecedesIdle { publish(traits.summaryAtEnd) }
    }

    /// Stores the message and publishes it.
    func publishMessage() {
        store.store(.assistant(message), in: session.id)
        conversation.publishInfo(message.info(profile.layouts.event, profile.layouts), session)
    }

    /// Stores a part in the message and publishes it.
    func publish(_ part: Part, delta: String? = nil) {
        message.store(part)
        store.storeParts(of: message)
        conversation.publishPart(part, of: (message.id, session), profile.layouts.event, delta: delta)
    }

    /// Publishes the events that summarize the turn's changes.
    private func publish(_ summaries: [Profile.Turns.Summary], isFirst: Bool = false) {
        let changes = store.update(session.id) { $0.changes = $0.changes ?? [] }?.changes ?? []
        for (index, summary) in summaries.enumerated() {
            switch summary {
            case .session: conversation.publishSession(session.id)
            case .changes: conversation.publishChanges(traits.sessionDiffContainsChanges ? changes : [], session)
            case .user:
                var user = prompt.message
                user.changes = changes
                user.title = traits.titlesPrompt && !isFirst ? store[session.id]?.title : nil
                // The second of two consecutive summaries also contains a description of the changes.
                user.hasBody = !changes.isEmpty && index > 0 && summaries[index - 1] == .user
                store.store(.user(user), in: session.id)
                let layout = isFirst ? profile.layouts.userSummarized : profile.layouts.event.user
                conversation.publishInfo(user.info(layout, profile.layouts), session)
            }
        }
    }
}
