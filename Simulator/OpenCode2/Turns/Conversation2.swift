// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Runs sessions: stores their messages and publishes the events in the recorded order.
struct Conversation2: Sendable {
    let store: SessionStore2
    let pending: Pending2
    let bus: EventBus2
    let locations: Locations2
    let version: String
    /// The user's home directory, below which shells store their output.
    let home: String
    /// The duration of turns, in percent of the recorded duration.
    let pace: Int

    /// Publishes a session's event and returns the event's id. The event's data begins with the session's id.
    ///
    /// - Parameter version: The schema version of a durable event; nil for other events.
    @discardableResult
    func publish(
        _ type: String, in session: Session2, _ members: [(String, JSON)] = [], version: Int? = 1,
        isLocated: Bool = true, metadata: JSON? = nil, created: Int = Clock.milliseconds
    ) -> String {
        let data = JSON.object([]).adding([("sessionID", .string(session.id))] + members)
        let event = bus.publish(
            type, data, in: isLocated ? session.directory : nil,
            durable: version.map { EventBus2.Durable(session: session.id, version: $0) }, metadata: metadata,
            created: created)
        if version != nil { store.save(session.id) }
        return event
    }

    /// Adds a session, opens its directory and publishes the creation. Returns false if the id is in use.
    func create(_ session: Session2) -> Bool {
        guard store.add(session) else { return false }
        bus.publish(
            "session.created", session.creation(version: version), in: session.directory,
            durable: EventBus2.Durable(session: session.id))
        store.save(session.id)
        locations.open(session.directory)
        return true
    }

    /// Changes the title of a session.
    func rename(_ id: String, to title: String) {
        guard let session = store.update(id, { $0.title = title }) else { return }
        publish("session.renamed", in: session, [("title", .string(title))])
    }

    /// Interrupts a session's running turns, and removes the session.
    func remove(_ session: Session2) {
        interrupt(session)
        guard let removed = store.remove(session.id) else { return }
        publish("session.deleted", in: removed, version: 2, isLocated: false)
    }

    /// Copies a session with the messages that precede `before`. If `before` is nil, copies all messages.
    func fork(_ session: Session2, before: String?) -> Session2 {
        let messages = session.messages.prefix { $0.id != before }
        let boundary: JSON =
            before.map { ["type": "before", "messageID": .string($0)] } ?? [
                "type": "through", "messageID": messages.last.map { .string($0.id) } ?? .null,
            ]
        let forks = store.all.count { $0.fork?["sessionID"]?.text == session.id }
        var copy = Session2(
            directory: session.directory, project: session.project,
            fork: ["sessionID": .string(session.id), "boundary": boundary], agent: session.agent,
            model: session.model, title: session.title.map { "\($0) (fork #\(forks + 1))" })
        copy.messages = Array(messages)
        copy.isInstructed = session.isInstructed
        store.add(copy)
        publish(
            "session.forked", in: copy,
            [
                ("parentID", .string(session.id)), ("boundary", boundary),
                ("instructions", session.isInstructed ? Conversation2.instructions(of: session) : [:]),
                ("instructionEntries", []),
            ], version: 2)
        return copy
    }

    /// Adds an item to a session's inbox. Returns nil if the session no longer exists.
    @discardableResult
    func enqueue(
        _ kind: InboxItem2.Kind, _ payload: JSON, delivery: InboxItem2.Delivery = .steer, id: String? = nil,
        in session: String
    ) -> InboxItem2? {
        let item = InboxItem2(id: id ?? Identifier.make("msg"), kind: kind, payload: payload, delivery: delivery)
        let bus = bus
        let stored = store.update(session) { session in
            session.inbox.append(item)
            let data: JSON = ["inboxID": .string(item.id), "sessionID": .string(session.id), "item": item.item]
            // Publish the event before a turn can process the item, so that the event precedes the delivery. Only the
            // event about a move has no location.
            bus.publish(
                "session.inbox.enqueued", data, in: kind == .move ? nil : session.directory,
                durable: EventBus2.Durable(session: session.id))
        }
        return stored.map { _ in item }
    }

    /// Starts a thread that processes a session's inbox. Does nothing if such a thread is already running. Returns
    /// false if no thread can be started.
    @discardableResult
    func wake(_ id: String) -> Bool {
        guard let control = store.startExecution(id) else { return true }
        if (try? TestThread { Execution2(self, session: id, control).run() }) != nil { return true }
        _ = store.finish(id, parksInbox: true) { _ in }
        return false
    }

    /// Interrupts a session's running turns. The turns themselves publish the interruption. Returns whether a turn was
    /// interrupted.
    @discardableResult
    func interrupt(_ session: Session2) -> Bool {
        guard let execution = store[session.id]?.execution else { return false }
        execution.abort.open()
        pending.abort(session: session.id)
        _ = execution.isSettled.isOpened(within: .seconds(10))
        return execution.wasAborted.isOpen
    }

    /// Returns a session's initial instructions, as hashes by name.
    static func instructions(of session: Session2) -> JSON {
        JSON.object([]).adding(
            ["core/environment", "core/date", "core/codemode", "core/skill-guidance"].map { name in
                let hash = SHA1.hexadecimal("\(name) \(session.directory)")
                return (name, .string(hash + SHA1.hexadecimal(hash).prefix(24)))
            })
    }
}

extension Simulator2 {
    var conversation: Conversation2 {
        Conversation2(
            store: store, pending: pending, bus: bus, locations: locations, version: profile.version,
            home: home, pace: pace)
    }
}
