// SPDX-License-Identifier: Apache-2.0

package import OpenCodeFamilies

/// The events with which the sessions' turns began. An encoding state that receives the events again from there reaches
/// the same state.
///
/// A reader that starts in the middle of the kept events uses this to find the sessions that are followed from a
/// beginning. In the other sessions, a part may have begun earlier, and its events pass unchanged.
package struct TurnBeginnings: Sendable, Equatable {
    /// The maximum number of sessions, which is more than a user has at once. Beyond this limit, all sessions are
    /// forgotten.
    private static let most = 4096

    /// The last beginning of each followed session; nil if its turn has ended.
    private var beginnings: [[UInt8]: EventID?] = [:]
    private var generation: UInt64 = 0

    /// Creates a state that follows no session.
    package init() {}

    /// The first event that must be read again; nil if no turn is running.
    package var first: EventID? { beginnings.values.compactMap { $0 }.min() }

    /// Returns whether a session is followed from a beginning.
    package func isFollowed(_ session: [UInt8]) -> Bool { beginnings[session] != nil }

    /// Updates the state of the session to which the next event belongs.
    package mutating func record(id: EventID, skeleton: EventSkeleton, payload: borrowing Span<UInt8>) {
        if generation != id.generation || skeleton.endsEverything { beginnings = [:] }
        generation = id.generation
        guard let session = skeleton.session else { return }
        guard let boundary = TurnBoundary(skeleton, payload: payload) else {
            // A part can be reported after the end of a turn, for example after an abort. The part may grow, so record
            // a new beginning.
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
