import TestKit

/// Hands every event to every subscriber whose directory it belongs to, in one order.
final class EventBus: Sendable {
    private struct State {
        var subscriptions: [Int: EventSubscription] = [:]
        var nextNumber = 0
        /// How many stored changes each session has seen; `sync` events count them.
        var sequence: [String: Int] = [:]
    }

    private let state = Monitor(State())
    private let profile: Profile

    init(profile: Profile) {
        self.profile = profile
    }

    /// Opens a subscription: one directory's events, or with nil the wrapped events of all.
    func subscribe(directory: String?) -> EventSubscription {
        let first = event("server.connected", [:])
        return state.withLock { state in
            let subscription = EventSubscription(number: state.nextNumber, directory: directory)
            subscription.append((directory == nil ? ["payload": first] : first).encoded)
            state.subscriptions[state.nextNumber] = subscription
            state.nextNumber += 1
            return subscription
        }
    }

    /// Ends a subscription: nothing is queued for it any more.
    func unsubscribe(_ subscription: EventSubscription) {
        state.withLock { $0.subscriptions[subscription.number] = nil }
    }

    /// A heartbeat for one subscriber, encoded.
    func heartbeat(for subscription: EventSubscription) -> String {
        let beat = event("server.heartbeat", [:])
        return (subscription.directory == nil ? ["payload": beat] : beat).encoded
    }

    /// Publishes one event. `storedIn` names the session whose stored state it changes: such events are repeated as
    /// `sync`.
    func publish(_ type: String, _ properties: JSON, directory: String, storedIn session: String? = nil) {
        let event = event(type, properties)
        state.withLock { state in
            var wrapped = [wrap(event, directory).encoded]
            if let session, profile.sendsSyncEvents {
                let number = state.sequence[session, default: 0]
                state.sequence[session] = number + 1
                wrapped.append(wrap(sync(event, number, session), directory).encoded)
            }
            for subscription in state.subscriptions.values {
                if subscription.directory == nil {
                    for line in wrapped { subscription.append(line) }
                } else if subscription.directory == directory {
                    subscription.append(event.encoded)
                }
            }
        }
    }

    /// Ends the streams of one directory, as disposing of its instance does. The wrapped streams go on.
    func end(directory: String) {
        state.withLock { state in
            for subscription in state.subscriptions.values where subscription.directory == directory {
                subscription.end()
            }
        }
    }

    private func event(_ type: String, _ properties: JSON) -> JSON {
        let event: JSON = ["type": .string(type), "properties": properties]
        guard profile.eventsHaveIdentifiers, case .object(let members) = event else { return event }
        return .object([JSON.Member(name: "id", value: .string(Identifier.make("evt")))] + members)
    }

    private func wrap(_ payload: JSON, _ directory: String) -> JSON {
        [
            "directory": .string(directory), "project": .string(SHA1.hexadecimal(directory)), "payload": payload,
        ]
    }

    private func sync(_ event: JSON, _ number: Int, _ session: String) -> JSON {
        let id = event["id"] ?? .null
        return [
            "type": "sync",
            "syncEvent": [
                "id": id, "type": .string((event["type"]?.text ?? "") + ".1"), "seq": .integer(number),
                "aggregateID": .string(session), "data": event["properties"] ?? .null,
            ],
            "id": id,
        ]
    }
}

/// What waits for one subscriber. Unbounded, as OpenCode's own queue is.
final class EventSubscription: Sendable {
    /// What is taken from the queue next.
    enum Item: Equatable {
        /// An encoded event.
        case event(String)
        /// The stream ends cleanly.
        case end
        /// The subscriber has gone.
        case gone
    }

    private struct State {
        var events: [String] = []
        var isEnded = false
        var isGone = false
    }

    let number: Int
    /// The directory whose events come; nil for all, wrapped.
    let directory: String?
    private let state = Monitor(State())

    init(number: Int, directory: String?) {
        self.number = number
        self.directory = directory
    }

    func append(_ event: String) {
        state.withLock { if !$0.isEnded { $0.events.append(event) } }
    }

    /// No event follows; those queued are still delivered.
    func end() {
        state.withLock { $0.isEnded = true }
    }

    /// The subscriber's connection has ended.
    func leave() {
        state.withLock { $0.isGone = true }
    }

    /// The next items, all that are there; nil when nothing came before the deadline.
    func next(by deadline: Deadline) -> [Item]? {
        try? state.wait(for: "an event", within: deadline.remaining) { state in
            if state.isGone { return [.gone] }
            if state.events.isEmpty { return state.isEnded ? [.end] : nil }
            defer { state.events = [] }
            return state.events.map(Item.event) + (state.isEnded ? [.end] : [])
        }
    }
}
