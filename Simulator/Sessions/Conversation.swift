// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Runs turns: stores their messages and publishes the events in the recorded order.
struct Conversation: Sendable {
    /// A stored prompt that waits for its turn.
    struct Prompt: Sendable {
        let sessionID: String
        let message: UserMessage
        let script: TurnScript
        /// The model's text, which overrides the text of the script.
        var words: [String]?
    }

    let store: SessionStore
    let bus: EventBus
    let profile: Profile

    /// Creates a session. A subagent's session has restrictions.
    func create(directory: String, title: String?, parentID: String?, isRestricted: Bool = false) -> Session {
        let session = Session(directory: directory, title: title, parentID: parentID, isRestricted: isRestricted)
        store.add(session)
        let info = session.json(profile.layouts.sessionCreated, profile, isNew: true)
        for type in profile.turns.createdIsUpdated ? ["session.created", "session.updated"] : ["session.created"] {
            publish(type, properties(info, session), in: session, stored: true)
        }
        return session
    }

    /// Stores a prompt. The prompt's turn begins after the earlier turns have ended.
    func accept(
        _ text: String, model: Session.Model, script: TurnScript, says words: [String]? = nil, id: String? = nil,
        in session: Session
    ) -> Prompt {
        var message = UserMessage(id: id, sessionID: session.id, text: text, model: model)
        if session.isRestricted { message.tools = UserMessage.subagentTools }
        var modelIsNew = false
        store.update(session.id) {
            modelIsNew = $0.model != model
            $0.model = model
            $0.queued.append(message.id)
        }
        if modelIsNew, profile.turns.newModelUpdatesSession { publishSession(session.id) }
        store.store(.user(message), in: session.id)
        publishInfo(message.info(profile.layouts.userAdded, profile.layouts), session)
        publishPart(message.part, of: (message.id, session), profile.layouts.prompt)
        publishSession(session.id)
        return Prompt(sessionID: session.id, message: message, script: script, words: words)
    }

    /// Runs the turn of a prompt, and releases the session. Returns the answer; nil if the prompt was dropped before
    /// its turn began.
    func run(_ prompt: Prompt, control: TurnControl = TurnControl()) -> AssistantMessage? {
        guard let session = store.claim(prompt.sessionID, prompt: prompt.message.id, with: control) else {
            return nil
        }
        return Turn(self, prompt: prompt, session: session, control: control).run()
    }

    /// Aborts the running turn, and drops the queued prompts. The turn itself publishes the abort between two of its
    /// events.
    func abort(_ session: Session) {
        let running = store.update(session.id) { $0.queued = [] }?.runningTurn
        if let running {
            running.abort.open()
            store.pending.abort(session: session.id)
            _ = running.isSettled.isOpened(within: .seconds(10))
            if running.wasAborted.isOpen { return }
        }
        if profile.turns.abortsIdleSessions { publishIdle(session) }
    }

    /// Aborts a session's turn and deletes the session.
    func delete(_ session: Session) {
        store[session.id]?.runningTurn?.abort.open()
        store.pending.abort(session: session.id)
        guard let removed = store.remove(session.id) else { return }
        let info = removed.json(profile.layouts.sessionChanged, profile)
        publish("session.deleted", properties(info, session), in: session, stored: true)
    }

    /// Changes the title of a session.
    func rename(_ session: Session, to title: String) -> Session {
        let changed = store.update(session.id) {
            $0.title = title
            $0.hasDefaultTitle = false
        }
        publishSession(session.id)
        return changed ?? session
    }
}
