// SPDX-License-Identifier: Apache-2.0

import Access
import Encodings
import EventHub
import EventLoop
package import GatewayCore
package import HTTPServer
import HTTPTypes
internal import Instances
import JSONText
import OpenCodeFamilies
internal import Projects

/// The parsed query of a request for one of the gateway's own event streams. Parsing performs no I/O.
struct EventQuery: Sendable {
    /// The reason why the gateway cannot serve a query, as a message.
    struct QueryError: Error {
        let sentence: String
    }

    /// The maximum time that a request may wait for a page, in seconds.
    static let longestWait = 60
    /// The maximum `max_rate`, in updates of one text per second.
    static let largestRate = 1_000

    var selector = EventSelector()
    var encoding = EventEncoding.raw
    /// Whether the stream sends the events in the format of OpenCode 1's API.
    var isOpenCode1Compatible = false
    var maxRate: Int?
    /// The maximum number of seconds that the request waits for a page; nil if the client requests a stream.
    var wait: Int?
    var start = EventCursor.Start.now

    init(_ head: RequestHead, _ query: RequestQuery) throws(QueryError) {
        if let session = query["session"], !session.isEmpty { selector.sessions = [Array(session.utf8)] }
        for type in (query["types"] ?? "").split(separator: ",") {
            guard let pattern = EventSelector.TypePattern(String(type)) else {
                throw QueryError(
                    sentence: "types=\(type) is not an event type. Use, for example, types=message.*,session.idle.")
            }
            selector.types.append(pattern)
        }
        if let text = query["form"] {
            guard let encoding = EventEncoding(rawValue: text) else {
                throw QueryError(sentence: "form=\(text) is unknown. Use raw, delta or full.")
            }
            self.encoding = encoding
        }
        switch query["speak"] {
        case nil: break
        case "1"?: isOpenCode1Compatible = true
        case let other?:
            throw QueryError(
                sentence: "speak=\(other) is unknown. Use speak=1 for OpenCode 1's events, or omit speak.")
        }
        maxRate = try Self.maxRate(query)
        wait = try Self.number(query, "wait", in: 0...Self.longestWait, unit: "seconds")
        start = EventStreamRequest.start(head, query)
    }

    /// Returns the maximum number of updates per second of a text that the model is still writing; nil if
    /// there is no limit.
    static func maxRate(_ query: RequestQuery) throws(QueryError) -> Int? {
        try number(query, "max_rate", in: 1...largestRate, unit: "updates of one text per second")
    }

    private static func number(
        _ query: RequestQuery, _ name: String, in range: ClosedRange<Int>, unit: String
    ) throws(QueryError) -> Int? {
        guard let text = query[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw QueryError(
                sentence: "\(name)=\(text) must be a number from \(range.lowerBound) to \(range.upperBound) (\(unit)).")
        }
        return number
    }
}

/// An endpoint for the gateway's own event streams.
package enum EventEndpoint: Sendable {
    /// The events of one project.
    case project
    /// The events of all projects.
    case all

    /// The error for a request while the event hub is off.
    static let off = GatewayError(
        404,
        "The gateway's event hub is off (--event-hub off). Use OpenCode's own streams at /projects/NAME/api instead.")

    /// Serves the request on the loop.
    package func serve(_ request: ControlRequest, on connection: ClientConnection, loop: GatewayLoop) {
        guard let events = loop.feature(EventStreamFeature.self) else { return loop.refuse(connection, Self.off) }
        guard self == .project else { return open(nil, for: request, on: connection, events: events) }
        guard let name = request.project else {
            return loop.refuse(connection, ControlAnswers.projectNotFound(""))
        }
        if loop.snapshot.routes.mayBeProject(name) { return open(name, for: request, on: connection, events: events) }
        let found = ControlResponse.loop { connection, loop in
            if let events = loop.feature(EventStreamFeature.self) {
                open(name, for: request, on: connection, events: events)
            }
        }
        loop.lookFor(name, on: connection, for: request, found: found)
    }

    private func open(
        _ name: ProjectName?, for request: ControlRequest, on connection: ClientConnection, events: EventStreamFeature
    ) {
        do throws(EventQuery.QueryError) {
            var query = try EventQuery(connection.head, request.query)
            if self == .all { query.selector.projects = request.principal?.rights.projects }
            if self == .all, query.isOpenCode1Compatible {
                throw EventQuery.QueryError(
                    sentence:
                        "speak is not available for the events of all projects. Request /projects/NAME/events?speak=1 instead."
                )
            }
            GatewayStreamOpening.start(events, connection, project: name, query: query)
        } catch {
            events.owner.refuse(connection, GatewayError(400, error.sentence))
        }
    }

    /// The response of `…/events/state` for a project whose events the hub has not received yet.
    static let nothingYet = ControlAnswers.json(
        200, #"{"subscribers":0,"first":null,"last":null,"bytes":0,"upstream":"off","since":null,"gaps":0}"#)

    /// Responds on the loop to a request for `…/events/state`.
    package static func serveState(_ request: ControlRequest, on connection: ClientConnection, loop: GatewayLoop) {
        guard let events = loop.feature(EventStreamFeature.self) else { return loop.refuse(connection, off) }
        guard let name = request.project else { return loop.refuse(connection, .notFound) }
        if let snapshot = events.snapshot(of: name) { return loop.answer(connection, state(snapshot)) }
        loop.lookFor(name, on: connection, for: request, found: .answer(nothingYet))
    }

    /// Returns the response of `…/events/state` for a project.
    static func state(_ snapshot: HubSnapshot) -> GatewayAnswer {
        let summary = snapshot.log.summary
        func text(_ id: EventID?) -> String { id.map { "\"\($0.text)\"" } ?? "null" }
        let since = Timestamp.utc(milliseconds: snapshot.since)
        return ControlAnswers.json(
            200,
            """
            {"subscribers":\(snapshot.subscribers.value),"first":\(text(summary.first)),"last":\(text(summary.last)),\
            "bytes":\(summary.bytes),"upstream":"\(snapshot.upstream.rawValue)","since":"\(since)","gaps":\(summary.gaps)}
            """)
    }
}
