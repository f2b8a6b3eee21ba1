// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText
package import Projects

/// An event in the history of a project's instance.
package struct InstanceEvent: Sendable, Equatable {
    /// The kinds of events in a history.
    package enum Kind: String, Sendable, CaseIterable {
        /// The instance was started on request.
        case started
        /// The instance runs, but this gateway did not start the instance. The service manager or another gateway
        /// started it.
        case found
        /// The instance became healthy, for the first time or again.
        case ready
        /// The instance's health checks fail, or it sends no data at all.
        case unhealthy
        /// The instance ended although no stop was requested, and it will be restarted.
        case ended
        /// The instance was restarted after an unrequested end.
        case restarted
        /// The instance was stopped, through the gateway or otherwise.
        case stopped
        /// The instance could not be started, or it has ended too often.
        case failed
        /// The instance no longer existed when the gateway started.
        case lost

        /// Whether a server exists after the event or will soon exist.
        var isActive: Bool {
            switch self {
            case .started, .found, .ready, .unhealthy, .ended, .restarted: true
            case .stopped, .failed, .lost: false
            }
        }
    }

    /// The time of the event in nanoseconds since 1970.
    package let time: Int64
    /// The kind of the event.
    package let kind: Kind
    /// The name of the key that requested the action, if known.
    package let actor: String?
    /// OpenCode's version as reported by the server.
    package let version: String?
    /// The reason, as plain text without any output of the server.
    package let reason: String?

    /// Creates an event with the given values.
    package init(time: Int64, kind: Kind, actor: String? = nil, version: String? = nil, reason: String? = nil) {
        self.time = time
        self.kind = kind
        self.actor = actor
        self.version = version
        self.reason = reason
    }

    /// The names of all kinds.
    package static let names = Kind.allCases.map(\.rawValue)

    /// The event as a JSON object.
    package var json: String {
        """
        {"time":\(JSONText.quoted(timestamp)),"event":\(JSONText.quoted(kind.rawValue)),\
        "by":\(actor.map(JSONText.quoted) ?? "null"),"version":\(version.map(JSONText.quoted) ?? "null"),\
        "reason":\(reason.map(JSONText.quoted) ?? "null")}
        """
    }

    /// The date and time in UTC with milliseconds (RFC 3339).
    private var timestamp: String { Timestamp.utc(time, withMilliseconds: true) }
}

/// A store for the events of instances. The stored events outlive the gateway's process.
package protocol InstanceHistory: Sendable {
    /// Records an event asynchronously. The caller does not wait.
    func record(_ event: InstanceEvent, of project: ProjectName)
    /// Returns the recorded events of a project, oldest first. Throws an error if the history cannot be read.
    func events(of project: ProjectName) async throws(InstanceHistoryError) -> [InstanceEvent]
    /// Returns every project's last event before the given time in nanoseconds since 1970. The result is empty if the
    /// history cannot be read.
    func lastEvents(before time: Int64) async -> [ProjectName: InstanceEvent]
    /// Returns whether the history can be read now. If not, calls `body` on any thread as soon as the history can be
    /// read.
    func isOpen(orElse body: @escaping @Sendable () -> Void) -> Bool
}

/// The error for an unavailable history.
package struct InstanceHistoryError: Error, Equatable, CustomStringConvertible {
    /// A message that includes the fix.
    package let description: String

    /// Creates an error with this message.
    package init(_ description: String) { self.description = description }
}

/// The history of a gateway that cannot store events.
package struct NoInstanceHistory: InstanceHistory {
    private let reason: InstanceHistoryError

    /// Creates a history that is always unavailable.
    ///
    /// - Parameter reason: A message with the reason.
    package init(reason: String) { self.reason = InstanceHistoryError(reason) }

    /// Discards the event, because nothing can be stored.
    package func record(_ event: InstanceEvent, of project: ProjectName) {}
    /// Throws the reason why there is no history.
    package func events(of project: ProjectName) async throws(InstanceHistoryError) -> [InstanceEvent] { throw reason }
    /// Returns an empty dictionary, because no events are stored.
    package func lastEvents(before time: Int64) async -> [ProjectName: InstanceEvent] { [:] }
    /// Returns false and never calls `body`.
    package func isOpen(orElse body: @escaping @Sendable () -> Void) -> Bool { false }
}
