// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Delivers every event to all subscribers of its directory, in the same order.
final class EventBus: Sendable {
    private struct State {
        var subscriptions: [Int: EventSubscription] = [:]
        var nextNumber = 0
        /// The number of stored changes of each session, which `sync` events contain.
        var sequence: [String: Int] = [:]
        /// The directories that were opened.
        var opened: Set<String> = []
        /// The directories whose catalogue was announced.
        var announced: Set<String> = []
    }

    private let state = Monitor(State())
    private let profile: Profile

    init(profile: Profile) {
        self.profile = profile
    }

    /// Subscribes to the events of one directory. If `directory` is nil, subscribes to the wrapped events of all
    /// directories.
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

    /// Ends a subscription. The subscription receives no further events.
    func unsubscribe(_ subscription: EventSubscription) {
        state.withLock { $0.subscriptions[subscription.number] = nil }
    }

    /// Returns the encoded event with which every subscription begins.
    func greeting(directory: String?) -> String {
        let first = event("server.connected", [:])
        return "data: \((directory == nil ? ["payload": first] : first).encoded)\n\n"
    }

    /// Returns an encoded heartbeat for a directory's stream. If `directory` is nil, returns a heartbeat for the
    /// wrapped stream.
    func heartbeat(directory: String?) -> String {
        let beat = event("server.heartbeat", [:])
        return "data: \((directory == nil ? ["payload": beat] : beat).encoded)\n\n"
    }

    /// Publishes an event.
    ///
    /// - Parameter session: The session whose stored state the event changes. Versions with `sync` events repeat such
    ///   an event as a `sync` event.
    func publish(_ type: String, _ properties: JSON, directory: String, storedIn session: String? = nil) {
        let event = event(type, properties)
        state.withLock { state in
            var wrapped = [wrap(event, directory).encoded]
            if let session, profile.events.areSynchronized {
                let number = state.sequence[session, default: 0]
                state.sequence[session] = number + 1
                wrapped.append(wrap(sync(event, number: number, in: session), directory).encoded)
            }
            let plain = event.encoded
            for subscription in state.subscriptions.values {
                if subscription.directory == nil {
                    for line in wrapped { subscription.append(line) }
                } else if subscription.directory == directory {
                    subscription.append(plain)
                }
            }
        }
    }

    private func event(_ type: String, _ properties: JSON) -> JSON {
        let event: JSON = ["type": .string(type), "properties": properties]
        guard profile.events.haveIdentifiers, case .object(let members) = event else { return event }
        return .object([JSON.Member(name: "id", value: .string(Identifier.make("evt")))] + members)
    }

    private func wrap(_ payload: JSON, _ directory: String) -> JSON {
        let layout: Layout = profile.events.areSynchronized ? "directory project payload" : "directory payload"
        return layout.object([
            "directory": .string(directory), "project": .string(SHA1.hexadecimal(directory)), "payload": payload,
        ])
    }

    /// Wraps an event that concerns a directory but does not belong to it. Newer versions set the event's directory to
    /// `global`, and older versions omit the directory.
    private func wrapGlobal(_ payload: JSON, about directory: String) -> JSON {
        if !profile.events.areSynchronized { return ["payload": payload] }
        return [
            "directory": "global", "project": .string(SHA1.hexadecimal(directory)), "payload": payload,
        ]
    }

    private func sync(_ event: JSON, number: Int, in session: String) -> JSON {
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

/// Publishes the events that the use of a directory causes.
extension EventBus {
    /// Announces a directory's first use to the wrapped streams.
    func open(directory: String) {
        guard state.withLock({ $0.opened.insert(directory).inserted }) else { return }
        publishWrapped(wrapGlobal(bareEvent("project.updated", profile.project(directory)), about: directory))
    }

    /// Publishes the events about the data that a directory's first turn loads. Publishes these events only once for
    /// each directory.
    func announceCatalogue(directory: String) {
        if profile.events.catalogue.isEmpty { return }
        guard state.withLock({ $0.announced.insert(directory).inserted }) else { return }
        for type in profile.events.catalogue {
            publish(type, type == "plugin.added" ? ["id": "agent"] : [:], directory: directory)
        }
    }

    /// Ends the streams of a directory after a client has disposed of its instance. The wrapped streams continue.
    func dispose(directory: String) {
        for type in profile.events.disposal { publish(type, [:], directory: directory) }
        let properties: JSON = ["directory": .string(directory)]
        let last = event("server.instance.disposed", properties).encoded
        state.withLock { state in
            state.opened.remove(directory)
            for subscription in state.subscriptions.values where subscription.directory == directory {
                subscription.append(last)
                subscription.finish()
            }
        }
        publishWrapped(wrap(bareEvent("server.instance.disposed", properties), directory))
    }

    /// The open subscriptions of this bus.
    var subscriptions: [EventSubscription] { state.withLock { Array($0.subscriptions.values) } }

    /// Returns an event that only the wrapped streams contain. The `id` is the last member of such an event.
    private func bareEvent(_ type: String, _ properties: JSON) -> JSON {
        let event: JSON = ["type": .string(type), "properties": properties]
        return profile.events.haveIdentifiers ? event.adding([("id", .string(Identifier.make("evt")))]) : event
    }

    private func publishWrapped(_ event: JSON) {
        let line = event.encoded
        state.withLock { state in
            for subscription in state.subscriptions.values where subscription.directory == nil {
                subscription.append(line)
            }
        }
    }
}
