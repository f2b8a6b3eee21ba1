package import OpenCode

/// Where the sessions' turns have begun: from there on a form's state has to be given the events again to stand where this
/// one stands.
///
/// Whoever reads what is kept from its middle on learns here which sessions are followed from a beginning. In the others a
/// part may have begun before: what comes of it is passed on as it came.
package struct TurnBeginnings: Sendable, Equatable {
    /// More sessions than anybody has at once; beyond, all have to begin anew.
    private static let most = 4096

    /// The last beginning of each session that is followed; nil: its turn has ended.
    private var beginnings: [[UInt8]: EventID?] = [:]
    private var generation: UInt64 = 0

    /// Nothing is followed.
    package init() {}

    /// The first event that has to be given again; nil: no turn goes on, none has to.
    package var first: EventID? { beginnings.values.compactMap { $0 }.min() }

    /// Whether a session is followed from a beginning on.
    package func isFollowed(_ session: [UInt8]) -> Bool { beginnings[session] != nil }

    /// Takes the next event.
    package mutating func take(id: EventID, skeleton: EventSkeleton, payload: borrowing Span<UInt8>) {
        if generation != id.generation || skeleton.endsEverything { beginnings = [:] }
        generation = id.generation
        guard let session = skeleton.session else { return }
        guard let mark = TurnMark(skeleton, payload: payload) else {
            // A part that is told of behind the end of a turn, as after an abort: nothing else grows.
            if skeleton.part != nil, let known = beginnings[session], known == nil { beginnings[session] = .some(id) }
            return
        }
        if beginnings.count >= Self.most { beginnings = [:] }
        switch mark {
        case .began: beginnings[session] = .some(id)
        case .ended: beginnings[session] = .some(nil)
        case .removed: beginnings[session] = nil
        }
    }
}
