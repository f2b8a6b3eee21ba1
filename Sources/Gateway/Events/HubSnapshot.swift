import EventHub
import HTTPTypes
internal import Instances
import Locking
import OpenCode
internal import Projects

/// What loops know of one project's events: immutable, replaced as a whole by the hub.
final class HubSnapshot: Sendable {
    /// How it stands with the instance's stream.
    enum Upstream: String, Sendable {
        case connected, waiting, off
    }

    let project: ProjectName
    let log: EventLog
    let upstream: Upstream
    /// Since when, milliseconds since 1970.
    let since: Int64
    /// The run whose events are heard; nil: none.
    let run: UInt64?
    /// The frame that the instance has said its stream begins with, as it stands in its two kinds of streams; nil: it has not
    /// spoken yet.
    let connected: ConnectedFrame?
    /// The same in OpenCode 1's words, where an OpenCode 2 has spoken.
    let translatedConnected: ConnectedFrame?
    /// The directories that streams have opened in this run.
    let opened: Set<[UInt8]>
    /// The form of its streams where a request does not say.
    let form: EventEncoding
    /// What `status` says of it.
    let warnings: [String]
    /// Streams of it that clients read.
    let subscribers: Subscribers

    init(
        project: ProjectName, log: EventLog, upstream: Upstream, since: Int64, run: UInt64?,
        connected: ConnectedFrame?, translatedConnected: ConnectedFrame?, opened: Set<[UInt8]>, form: EventEncoding,
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
        self.form = form
        self.warnings = warnings
        self.subscribers = subscribers
    }

    /// Whether the events of the run that this route leads to are heard now.
    func hears(_ route: RoutingTable.Route) -> Bool { upstream == .connected && run == route.endpoint?.generation }

    /// How many read, on all loops.
    final class Subscribers: Sendable {
        private let count = Locked(0)

        var value: Int { count.withLock { $0 } }
        func add(_ number: Int) { count.withLock { $0 += number } }
    }
}

/// `server.connected`, as an instance has said it.
struct ConnectedFrame: Sendable, Equatable {
    /// Its frame on `/global/event` or `/api/event`.
    let line: [UInt8]
    /// Its frame on `/event`.
    let payload: [UInt8]

    init(_ data: [UInt8], payload: Range<Int>) {
        line = Array("data: ".utf8) + data + Array("\n\n".utf8)
        self.payload = Array("data: ".utf8) + data[payload] + Array("\n\n".utf8)
    }

    /// What was made for OpenCode 1's clients of an OpenCode 2's.
    init?(translating data: [UInt8]) {
        guard let event = TranslatedEncoding.connected(of: data) else { return nil }
        let line = Array("{\"payload\":".utf8) + event + [UInt8(ascii: "}")]
        self.init(line, payload: 11..<line.count - 1)
    }

    /// What stands for it where the instance has not spoken in time.
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

/// What the hub tells loops, in this order.
enum EventUpdate: Sendable {
    /// A project's view is another one.
    case view(HubSnapshot)
    /// An instance has said this; it stands in the log between two places.
    case said(ProjectName, [LogItem], from: LogPosition, to: LogPosition)
    /// Something that is not kept, for those who read live: an event's data, or a frame without data.
    case heartbeat(ProjectName, ConnectedFrame)
    case comment(ProjectName, [UInt8])
    /// The instance's stream is lost: its clients' streams end, and not in order.
    case lost(ProjectName)
    /// The instance has closed a directory: streams of that end in order behind this event.
    case disposed(ProjectName, directory: [UInt8], EventID)
}
