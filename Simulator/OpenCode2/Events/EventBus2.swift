// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Delivers every event to every subscriber, in the same order. OpenCode 2 has one stream for all directories.
final class EventBus2: Sendable {
    /// The properties of a durable event. A session counts its durable events.
    struct Durable {
        let session: String
        /// The version of the event's schema.
        var version = 1
    }

    private struct State {
        var subscriptions: [Int: EventSubscription] = [:]
        var nextNumber = 0
        /// The number of each session's next durable event.
        var sequence: [String: Int] = [:]
    }

    private let state = Monitor(State())

    /// Publishes one event and returns its id. If `directory` is nil, the event has no `location`.
    @discardableResult
    func publish(
        _ type: String, _ data: JSON, in directory: String?, durable: Durable? = nil, metadata: JSON? = nil,
        created: Int = Clock.milliseconds
    ) -> String {
        let id = Identifier.make("evt")
        let start: JSON = ["id": .string(id), "created": .integer(created)]
        state.withLock { state in
            var members: [(String, JSON)] = metadata.map { [("metadata", $0)] } ?? []
            members.append(("type", .string(type)))
            if let directory { members.append(("location", ["directory": .string(directory)])) }
            members.append(("data", data))
            if let durable {
                let number = state.sequence[durable.session, default: 0]
                state.sequence[durable.session] = number + 1
                members.append(
                    (
                        "durable",
                        [
                            "aggregateID": .string(durable.session), "seq": .integer(number),
                            "version": .integer(durable.version),
                        ]
                    ))
            }
            let event = start.adding(members).encoded
            for subscription in state.subscriptions.values { subscription.append(event) }
        }
        return id
    }

    /// Counts a session's event that the streams omit, such as the usage event for the generation of the title.
    func skip(_ session: String) {
        state.withLock { $0.sequence[session, default: 0] += 1 }
    }

    /// Returns the number of the session's next event.
    func sequence(_ session: String) -> Int { state.withLock { $0.sequence[session, default: 0] } }

    /// Continues the numbering of a session from the number that another server has reached.
    func resume(_ session: String, at number: Int) {
        state.withLock { $0.sequence[session] = number }
    }

    /// Returns the stream of all events.
    func feed(interval: Duration) -> EventFeed {
        EventFeed(
            greeting: "data: \(Self.connected())\n\n", interval: interval, beatsAtOnce: true,
            subscribe: { self.subscribe() }, unsubscribe: { self.unsubscribe($0) }, heartbeat: { ": heartbeat\n\n" })
    }

    /// Returns the stream of a session's log. The stream reports only the last sequence number of the log, because the
    /// recordings contain no other content.
    func log(of session: String, follows: Bool, interval: Duration) -> EventFeed {
        let synced: JSON = [
            "type": "log.synced", "aggregateID": .string(session),
            "seq": .integer(sequence(session) - 1),
        ]
        return EventFeed(
            greeting: "data: \(synced.encoded)\n\n", interval: follows ? interval : .seconds(86_400),
            fields: AnswerHead2.log,
            subscribe: {
                let subscription = EventSubscription(number: 0, directory: nil)
                subscription.append(synced.encoded)
                if !follows { subscription.finish() }
                return subscription
            }, unsubscribe: { _ in }, heartbeat: { ": heartbeat\n\n" })
    }

    /// The open subscriptions of this bus.
    var subscriptions: [EventSubscription] { state.withLock { Array($0.subscriptions.values) } }

    private func subscribe() -> EventSubscription {
        state.withLock { state in
            let subscription = EventSubscription(number: state.nextNumber, directory: nil)
            subscription.append(Self.connected())
            state.subscriptions[state.nextNumber] = subscription
            state.nextNumber += 1
            return subscription
        }
    }

    private func unsubscribe(_ subscription: EventSubscription) {
        state.withLock { $0.subscriptions[subscription.number] = nil }
    }

    /// Returns the encoded event with which every stream begins.
    private static func connected() -> String {
        let event: JSON = ["id": .string(Identifier.make("evt")), "type": "server.connected", "data": [:]]
        return event.encoded
    }
}
