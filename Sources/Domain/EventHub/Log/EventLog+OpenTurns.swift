// SPDX-License-Identifier: Apache-2.0

internal import Locking
internal import MappedFiles
internal import OpenCodeFamilies

extension EventLog {
    /// Returns the position before the first event of all turns that have not ended before `end`; nil if there is no
    /// such turn. Searches approximately the last `bytes` bytes of the log. If a turn began earlier, the result may be
    /// the position of a later event of the turn, or the turn may not be found.
    package func beginningOfOpenTurns(before end: LogPosition, atMost bytes: Int) -> LogPosition? {
        guard let last = end.last, var position = recent(bytes) else { return nil }
        var turns = OpenTurns()
        var before = position
        while true {
            let items = next(&position, atMost: 1 << 20)
            if items.isEmpty { return turns.first }
            for item in items {
                switch item {
                case .event(let event):
                    guard event.id <= last else { return turns.first }
                    turns.record(event, at: before)
                case .gap(let gap, _): if gap.reason.endsTurns { turns = OpenTurns() }
                }
                before = item.after
            }
        }
    }

    /// Returns the position before the newest segments whose total size is at most `bytes`, but at least before the
    /// newest segment.
    private func recent(_ bytes: Int) -> LogPosition? {
        let segments = shared.withLock { $0.segments }
        var left = bytes
        var position = segments.last?.beginning
        for segment in segments.reversed() {
            left -= segment.region.published
            guard left >= 0 else { break }
            position = segment.beginning
        }
        return position
    }
}

extension EventGap.Reason {
    /// Whether a gap with this reason means that all earlier turns have ended.
    package var endsTurns: Bool {
        switch self {
        case .instanceRestarted, .stopped: true
        case .retention, .upstreamLost, .gatewayRestarted, .tooLarge, .damaged, .unknownID: false
        }
    }
}

/// The turns that have begun but not ended, computed from a log's events in order.
private struct OpenTurns {
    private struct Session {
        /// The last message that was reported, and the position before its event.
        var message: (id: [UInt8], place: LogPosition)?
        /// The position before the first prompt since the end of the last turn. OpenCode reports the prompt before it
        /// reports that the session is busy.
        var prompt: LogPosition?
        /// The position before the first event of the running turn.
        var beginning: LogPosition?
    }

    private static let created = Array("session.created".utf8)
    private static let delta = Array("message.part.delta".utf8)
    private static let message = Array("message.updated".utf8)
    private static let part = Array("message.part.updated".utf8)
    private static let inbox = Array("session.inbox.enqueued".utf8)

    private var sessions: [[UInt8]: Session] = [:]

    var first: LogPosition? { sessions.values.compactMap(\.beginning).min { $0.isBefore($1) } }

    mutating func record(_ event: StoredEvent, at position: LogPosition) {
        // Most events of a turn are deltas. Skip them before the skeleton is decoded.
        guard !event.withType({ EventSelector.equal($0, Self.delta) }) else { return }
        let skeleton = event.skeleton
        guard let id = skeleton.session else { return }
        // A new session has no turn yet, although `TurnBoundary` reports a beginning for it.
        guard skeleton.type != Self.created else { return }
        let range = event.payload
        switch event.withLine({ TurnBoundary(skeleton, payload: $0.extracting(range)) }) {
        case .began:
            var session = sessions[id] ?? Session()
            session.beginning = session.beginning ?? session.prompt ?? position
            sessions[id] = session
        case .ended, .removed: sessions[id] = nil
        case nil: recordPrompt(skeleton, at: position, id)
        }
    }

    private mutating func recordPrompt(_ skeleton: EventSkeleton, at position: LogPosition, _ id: [UInt8]) {
        guard sessions[id]?.beginning == nil, sessions[id]?.prompt == nil else { return }
        switch skeleton.type {
        case Self.message: sessions[id, default: Session()].message = skeleton.message.map { ($0, position) }
        case Self.part:
            // OpenCode reports a changed message without its parts. A reported part therefore shows that the message is
            // new.
            guard let message = sessions[id]?.message, message.id == skeleton.message else { return }
            sessions[id]?.prompt = message.place
        case Self.inbox: sessions[id, default: Session()].prompt = position
        default: return
        }
    }
}
