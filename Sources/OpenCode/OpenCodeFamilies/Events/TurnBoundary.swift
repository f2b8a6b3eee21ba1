// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// A change in the progress of a session's turn that an event reports.
package enum TurnBoundary: Sendable, Equatable {
    /// The session is new, or its turn begins or continues. Deltas are added only to parts that begin after this event.
    ///
    /// OpenCode 1 sends `session.status` with `busy` at the beginning of a turn and before each step of the turn.
    /// OpenCode 1 sends the status `retry` before it repeats a step. None of the 342 recorded events (from 1.1.11,
    /// 1.2.27 and 1.18.33) occurs between the deltas of a part.
    case began
    /// The session's turn has ended.
    case ended
    /// The session was deleted, together with its turn.
    case removed

    /// Creates the boundary that an event reports; nil if the event does not change the progress of a turn.
    package init?(_ skeleton: EventSkeleton, payload: borrowing Span<UInt8>) {
        guard skeleton.type.starts(with: "session.".utf8), let interpretation = Self.interpretations[skeleton.type]
        else { return nil }
        switch interpretation {
        case .boundary(let boundary): self = boundary
        case .status:
            var isIdle: Bool?
            JSONValueFinder.find(Self.paths, in: payload) {
                // The possible values are "idle", "busy" and "retry".
                isIdle = JSONString.decoded(payload, $0.range.dropFirst().dropLast())?.elementsEqual("idle".utf8)
                return false
            }
            guard let isIdle else { return nil }
            self = isIdle ? .ended : .began
        }
    }

    private enum Interpretation {
        case boundary(TurnBoundary)
        /// The status in the event determines the boundary.
        case status
    }

    private static let paths = JSONPaths("properties.status.type")
    private static let interpretations: [[UInt8]: Interpretation] = [
        Array("session.created".utf8): .boundary(.began),
        Array("session.status".utf8): .status,
        Array("session.idle".utf8): .boundary(.ended),
        Array("session.deleted".utf8): .boundary(.removed),
        Array("session.step.started".utf8): .boundary(.began),
        Array("session.execution.started".utf8): .boundary(.began),
        Array("session.execution.succeeded".utf8): .boundary(.ended),
        Array("session.execution.failed".utf8): .boundary(.ended),
        Array("session.execution.interrupted".utf8): .boundary(.ended),
    ]
}
