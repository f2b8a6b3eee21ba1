// SPDX-License-Identifier: Apache-2.0

package import OpenCodeFamilies

/// The events with which the running turns of sessions began. A new encoding state that receives all events from the
/// first of these events on makes the same frames as a state that has received all events.
///
/// A reader that starts in the middle of a log also uses this type to know of which sessions it has read a turn from
/// its beginning. In all other sessions, a part may have begun before the reader's start, so the events of the part
/// pass unchanged.
package struct TurnBeginnings: Sendable, Equatable {
    /// The maximum number of sessions. A user does not have this many sessions at once. Beyond this limit, all sessions
    /// are forgotten.
    private static let most = 4096

    /// The event with which each session's last known turn began; nil if the turn has ended.
    private var beginnings: [[UInt8]: EventID?] = [:]
    private var generation: UInt64 = 0

    /// Creates a state without any sessions.
    package init() {}

    /// The first event that a new encoding state must receive; nil if no turn is running.
    package var first: EventID? { beginnings.values.compactMap { $0 }.min() }

    /// Returns whether the events of a session's current turn are known from the beginning of the turn on.
    package func isFollowed(_ session: [UInt8]) -> Bool { beginnings[session] != nil }

    /// Updates the state with the next event.
    package mutating func record(id: EventID, skeleton: EventSkeleton, payload: borrowing Span<UInt8>) {
        if generation != id.generation || skeleton.endsEverything { beginnings = [:] }
        generation = id.generation
        guard let session = skeleton.session else { return }
        guard let boundary = TurnBoundary(skeleton, payload: payload) else {
            // OpenCode can report a part after the end of a turn, for example after an abort. The part's text may still
            // grow, so record a new beginning.
            if skeleton.part != nil, let known = beginnings[session], known == nil { beginnings[session] = .some(id) }
            return
        }
        if beginnings.count >= Self.most { beginnings = [:] }
        switch boundary {
        case .began: beginnings[session] = .some(id)
        case .ended: beginnings[session] = .some(nil)
        case .removed: beginnings[session] = nil
        }
    }
}
