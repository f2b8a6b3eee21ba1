// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// An event's information about the progress of its session's turn.
package enum TurnMark: Sendable, Equatable {
    /// The session is new or continues its turn. None of its existing parts is growing; only parts that begin after
    /// this event grow.
    ///
    /// OpenCode 1 sends `session.status` with `busy` at the beginning of a turn and again before each of its steps, and
    /// with `retry` before it repeats a step. None of the 342 recorded events (of 1.1.11, 1.2.27 and 1.18.33) occurs
    /// within a growing part.
    case began
    /// The session's turn has ended.
    case ended
    /// The session was deleted, together with its turn.
    case removed

    /// Creates the mark of an event; nil if the event does not change the state of a turn.
    package init?(_ skeleton: EventSkeleton, payload: borrowing Span<UInt8>) {
        guard skeleton.type.starts(with: "session.".utf8), let mark = Self.marks[skeleton.type] else { return nil }
        switch mark {
        case .mark(let mark): self = mark
        case .status:
            var isIdle: Bool?
            JSONValueFinder.find(Self.places, in: payload) {
                // The value is "idle"; the other values are "busy" and "retry".
                isIdle = JSONString.decoded(payload, $0.range.dropFirst().dropLast())?.elementsEqual("idle".utf8)
                return false
            }
            guard let isIdle else { return nil }
            self = isIdle ? .ended : .began
        }
    }

    private enum Telling {
        case mark(TurnMark)
        /// The status in the event determines the meaning.
        case status
    }

    private static let places = JSONPlaces("properties.status.type")
    private static let marks: [[UInt8]: Telling] = [
        Array("session.created".utf8): .mark(.began),
        Array("session.status".utf8): .status,
        Array("session.idle".utf8): .mark(.ended),
        Array("session.deleted".utf8): .mark(.removed),
        Array("session.step.started".utf8): .mark(.began),
        Array("session.execution.started".utf8): .mark(.began),
        Array("session.execution.succeeded".utf8): .mark(.ended),
        Array("session.execution.failed".utf8): .mark(.ended),
        Array("session.execution.interrupted".utf8): .mark(.ended),
    ]
}
