internal import Clocks
internal import JSONText
package import Projects

/// One thing that happened to a project's instance.
package struct InstanceEvent: Sendable, Equatable {
    /// What happened.
    package enum Kind: String, Sendable, CaseIterable {
        /// Somebody asked for it, and it was started.
        case started
        /// It runs although this gateway has not started it: its service manager or another gateway has.
        case found
        /// It has been found healthy, for the first time or again.
        case ready
        /// Its health checks fail, or nothing at all comes from it.
        case unhealthy
        /// It ended without anybody's asking, and is to be started again.
        case ended
        /// It was started again after that.
        case restarted
        /// It was stopped.
        case stopped
        /// It could not be started, or has ended too often.
        case failed
        /// It was gone when the gateway began.
        case lost

        /// Whether a server exists after it, or is about to.
        var isActive: Bool {
            switch self {
            case .started, .found, .ready, .unhealthy, .ended, .restarted: true
            case .stopped, .failed, .lost: false
            }
        }
    }

    /// When: nanoseconds since 1970.
    package let time: Int64
    /// What.
    package let kind: Kind
    /// The name of the key with which somebody has asked for it, where that is known.
    package let actor: String?
    /// OpenCode's version, as the server said it.
    package let version: String?
    /// Why; plain text without anything that the server has printed.
    package let reason: String?

    /// An event.
    package init(time: Int64, kind: Kind, actor: String? = nil, version: String? = nil, reason: String? = nil) {
        self.time = time
        self.kind = kind
        self.actor = actor
        self.version = version
        self.reason = reason
    }

    /// The names of all kinds.
    package static let names = Kind.allCases.map(\.rawValue)

    /// A JSON object.
    package var json: String {
        """
        {"time":\(JSONText.quoted(timestamp)),"event":\(JSONText.quoted(kind.rawValue)),\
        "by":\(actor.map(JSONText.quoted) ?? "null"),"version":\(version.map(JSONText.quoted) ?? "null"),\
        "reason":\(reason.map(JSONText.quoted) ?? "null")}
        """
    }

    /// Date and time as RFC 3339 has them, in UTC, to the millisecond.
    private var timestamp: String { Timestamp.utc(time, withMilliseconds: true) }
}

/// Where it is written down what happens to instances, for longer than a gateway lives.
package protocol InstanceHistory: Sendable {
    /// Writes an event down, soon; the caller never waits for it.
    func record(_ event: InstanceEvent, of project: ProjectName)
    /// What is written down of a project, the oldest first; throws why it can't be read.
    func events(of project: ProjectName) async throws(InstanceHistoryError) -> [InstanceEvent]
    /// The last event of every project that came before this time, in nanoseconds since 1970; none where nothing can be read.
    func lastEvents(before time: Int64) async -> [ProjectName: InstanceEvent]
    /// Whether what is written down can be read by now; where it can't, `body` is called if it ever can, on any thread.
    func isOpen(orElse body: @escaping @Sendable () -> Void) -> Bool
}

/// There is no history to be had.
package struct InstanceHistoryError: Error, Equatable, CustomStringConvertible {
    /// One sentence that says what to do.
    package let description: String

    /// An error with this sentence.
    package init(_ description: String) { self.description = description }
}

/// The history where nothing can be kept.
package struct NoInstanceHistory: InstanceHistory {
    private let reason: InstanceHistoryError

    /// `reason`: why, as one sentence.
    package init(reason: String) { self.reason = InstanceHistoryError(reason) }

    /// Does nothing.
    package func record(_ event: InstanceEvent, of project: ProjectName) {}
    /// Throws the reason.
    package func events(of project: ProjectName) async throws(InstanceHistoryError) -> [InstanceEvent] { throw reason }
    /// None.
    package func lastEvents(before time: Int64) async -> [ProjectName: InstanceEvent] { [:] }
    /// Never.
    package func isOpen(orElse body: @escaping @Sendable () -> Void) -> Bool { false }
}
