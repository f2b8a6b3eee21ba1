// SPDX-License-Identifier: Apache-2.0

package import EventHub
import GatewayCore
import HTTPTypes
package import Instances
import Locking
import OpenCodeFamilies
package import Projects

/// The state of one project's events, as the event loops read it. A snapshot is immutable, and the hub replaces it as a whole.
package final class HubSnapshot: Sendable {
    /// The state of the stream from the instance.
    enum Upstream: String, Sendable {
        case connected, waiting, off
    }

    let project: ProjectName
    /// The log of the project's events.
    package let log: EventLog
    let upstream: Upstream
    /// The time at which `upstream` changed to its current value, in milliseconds since 1970.
    let since: Int64
    /// The generation of the run whose events the hub receives; nil if there is no such run.
    package let run: UInt64?
    /// The first frame of the instance's stream, in both formats of ``ConnectedFrame``; nil until the instance
    /// has sent the frame.
    let connected: ConnectedFrame?
    /// The first frame of an OpenCode 2 instance's stream, translated for OpenCode 1's clients; nil if there is none.
    let translatedConnected: ConnectedFrame?
    /// The directories that streams have opened in the current run.
    let opened: Set<[UInt8]>
    /// The encoding of the project's streams for requests that do not name an encoding.
    let encoding: EventEncoding
    /// The warnings that `status` shows for the project.
    let warnings: [String]
    /// The number of streams and pages through which clients read the project's events.
    let subscribers: Subscribers

    init(
        project: ProjectName, log: EventLog, upstream: Upstream, since: Int64, run: UInt64?,
        connected: ConnectedFrame?, translatedConnected: ConnectedFrame?, opened: Set<[UInt8]>, encoding: EventEncoding,
        warnings: [String], subscribers: Subscribers
    ) {
        self.project = project
        self.log = log
        self.upstream = upstream
        self.since = since
        self.run = run
        self.connected = connected
        self.translatedConnected = translatedConnected
        self.opened = opened
        self.encoding = encoding
        self.warnings = warnings
        self.subscribers = subscribers
    }

    /// Returns whether the hub receives the events of the run to which this route leads.
    package func receivesEvents(of route: RoutingTable.Route) -> Bool {
        upstream == .connected && run == route.endpoint?.generation
    }

    /// The number of streams and pages on all loops through which clients read a project's events.
    final class Subscribers: Sendable {
        private let count = Locked(0)

        var value: Int { count.withLock { $0 } }
        func add(_ number: Int) { count.withLock { $0 += number } }
    }
}

/// The event `server.connected` as an instance sent it.
package struct ConnectedFrame: Sendable, Equatable {
    /// The frame on `/global/event` or `/api/event`.
    let line: [UInt8]
    /// The frame on `/event`, which contains only the payload.
    let payload: [UInt8]

    init(_ data: [UInt8], payload: Range<Int>) {
        line = Array("data: ".utf8) + data + Array("\n\n".utf8)
        self.payload = Array("data: ".utf8) + data[payload] + Array("\n\n".utf8)
    }

    /// Creates the frame for OpenCode 1's clients from the frame of an OpenCode 2 instance.
    init?(translating data: [UInt8]) {
        guard let event = TranslatedEncoding.connected(of: data) else { return nil }
        let line = Array("{\"payload\":".utf8) + event + [UInt8(ascii: "}")]
        self.init(line, payload: 11..<line.count - 1)
    }

    /// Returns a substitute for an instance's event `server.connected` that has not arrived in time.
    static func usual(_ family: APIFamily?) -> ConnectedFrame {
        if family == .two {
            let data = Array(#"{"type":"server.connected","data":{}}"#.utf8)
            return ConnectedFrame(data, payload: 0..<data.count)
        }
        let data = Array(#"{"payload":{"type":"server.connected","properties":{}}}"#.utf8)
        return ConnectedFrame(data, payload: 11..<data.count - 1)
    }

    func frame(_ shape: EventShape) -> [UInt8] {
        if case .payload = shape { payload } else { line }
    }
}

/// An update from the hub to the loops. Updates arrive in the order in which they were sent.
package enum EventUpdate: Sendable {
    /// A project has a new snapshot.
    case snapshot(HubSnapshot)
    /// An instance has sent these events. The events are in the log between the two positions.
    case events(ProjectName, [LogItem], from: LogPosition, to: LogPosition)
    /// A heartbeat event from the instance. The log does not contain heartbeats, and only live streams receive them.
    case heartbeat(ProjectName, ConnectedFrame)
    /// A comment from the instance. The log does not contain comments, and only live streams receive them.
    case comment(ProjectName, [UInt8])
    /// The hub has lost the instance's stream, so the loops abort the clients' streams that
    /// replace OpenCode's own streams.
    case lost(ProjectName)
    /// The instance has closed a directory, so the streams of this directory end regularly after this event.
    case disposed(ProjectName, directory: [UInt8], EventID)
}
