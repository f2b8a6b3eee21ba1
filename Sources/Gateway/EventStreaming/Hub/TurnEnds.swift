// SPDX-License-Identifier: Apache-2.0

import EventHub
package import EventLoop
package import GatewayCore
import Locking
import OpenCodeFamilies
internal import Projects

/// The watches that keep translated responses and translated event streams in OpenCode 1's order at the end of a turn.
///
/// OpenCode 1 publishes a turn's events before it responds to the request that began the turn. OpenCode 1 publishes
/// `session.idle` after the response. Clients of OpenCode 1 stop reading at the response or at `session.idle`. OpenCode
/// 2 sends responses and events on two connections, in any order. A request therefore registers a watch before the
/// request changes anything. Streams stop before the turn's end while the response is pending, and the response waits
/// until all streams have reached that point. Both waits are bounded, so that neither a slow client nor a lost event
/// delays other clients for long. The hub reports the beginnings and ends of turns in the order of the log. All streams
/// therefore stop at the same event, regardless of the order in which they reach it.
///
/// A request may also publish an OpenCode 1 event that has no counterpart in OpenCode 2, such as `command.executed`.
/// Each translated stream sends this event directly after the `session.idle` at the turn's end. Every stream therefore
/// receives the event once, regardless of the stream's loop. The event is not in a log and has no position, because a
/// log's frames and their numbers must be the same at every replay. A restart of the gateway loses the event. The
/// gateway keeps the event for a limited time, even if no stream is open. A client that resumes before `session.idle`
/// receives both events, and a client that resumes at `session.idle` or later receives neither.
package final class TurnEnds: Sendable {
    /// The maximum time that a response waits for the streams.
    package static let longestWait = Duration.milliseconds(500)
    /// The maximum time that streams wait for a response, counted from the end of the turn.
    static let longestHold = Duration.seconds(1)
    /// The time for which a response still waits after all streams have reached the required point. The pause is
    /// necessary, because a client reads the response and the stream on separate connections.
    package static let pause = Duration.milliseconds(50)
    /// The time between a response and the end of the turn on streams. In OpenCode 1.18, this time is 5 to 29 ms.
    static let delay = Duration.milliseconds(10)
    /// The time for which the gateway keeps a published event for streams that are late or resume.
    static let retentionTime = Duration.seconds(30)
    /// The maximum size of a published event in bytes. The limit is necessary, because each slow stream
    /// keeps its own copy of the event. A client can make `command.executed` large, because the event
    /// contains the command's arguments.
    static let largestEvent = 64 << 10
    /// The maximum number of published events that the gateway keeps for each project.
    static let mostRetained = 64

    /// A request's watch for the end of a turn.
    private struct Watch {
        let project: ProjectName
        let session: [UInt8]
        /// The last event when the watch began; nil if there was none.
        let after: EventID?
        /// Whether streams stop before the turn's end until the response to the request is sent.
        let holds: Bool
        /// The event of the turn's end; nil until the hub has received it. The id contains no frame number, because the
        /// frames have different numbers in each encoding.
        var end: EventID?
        /// Whether the instance has reported the session as idle, so that no later turn can belong to the request.
        var isSettled = false
        /// Whether the end of the turn may be among missing events.
        var isInterrupted = false
        /// The time until which streams stop before the end of the turn.
        var heldUntil: MonotonicTime?
        /// Whether the response to the request was sent, or will never be sent.
        var isOver = false
        /// The bridge run that waits for the streams to reach the end of the turn.
        var waiter: (loop: Mailbox<LoopMessage>, run: Int)?
        /// The JSON of the event that the request has published, and the time until which the gateway keeps the event.
        var event: [UInt8]?
        var retainedUntil: MonotonicTime?

        /// Records an event that begins or ends a turn of the session.
        mutating func record(_ mark: TurnBoundary, at event: EventID) {
            switch mark {
            case .began:
                // A known end belongs to an earlier turn that was running before the request, so forget this end.
                guard holds, !isSettled else { return }
                end = nil
                heldUntil = nil
                isInterrupted = false
            case .ended:
                // The end of a later turn does not belong to the request, so ignore it.
                if isSettled, end != nil || isInterrupted { return }
                end = event
                heldUntil = nil
                isInterrupted = false
            case .removed: break
            }
        }

        /// Returns whether streams may still need the watch at this time.
        func isNeeded(at now: MonotonicTime) -> Bool {
            !isOver || [heldUntil, retainedUntil].contains { $0.map { $0 > now } ?? false }
        }
    }

    /// The progress of a stream.
    private struct Position {
        let loop: Mailbox<LoopMessage>
        /// Whether responses wait for the stream.
        let isAwaited: Bool
        var last: EventID?
        /// The last `session.idle` at the end of a turn that the stream has passed.
        var ended: EventID?
        /// The frame before which the stream stops; nil if it does not stop.
        var held: EventID?

        /// Returns whether the stream has sent the `session.idle` that belongs to this end of a turn.
        func hasPassed(_ end: EventID) -> Bool {
            if end.isOfEvent(ended) { return true }
            guard let last else { return false }
            // A stream that begins directly after the event has sent none of the event's frames, and its position has
            // the frame number `.max`.
            return end.isOfEvent(last) ? last.frame == .max : end < last
        }
    }

    private struct State {
        var watches: [Int: Watch] = [:]
        var count = 0
        var streams: [ProjectName: [ObjectIdentifier: Position]] = [:]

        /// Returns the streams for which the project's responses wait.
        func awaited(_ project: ProjectName) -> [Position] {
            streams[project]?.values.filter(\.isAwaited) ?? []
        }

        /// Returns whether all streams have reached the position that this watch requires.
        func isReached(_ watch: Watch) -> Bool {
            let streams = awaited(watch.project)
            if streams.isEmpty { return true }
            guard let end = watch.end else { return false }
            return streams.allSatisfy { $0.hasPassed(end) || watch.holds && end.isOfEvent($0.held) }
        }

        /// Removes the oldest of the project's watches that are needed only for their events, if there
        /// are more than ``mostRetained``.
        mutating func dropOldEvents(of project: ProjectName) {
            let retained = watches.filter { $0.value.project == project && $0.value.isOver && $0.value.event != nil }
            for number in retained.keys.sorted().dropLast(TurnEnds.mostRetained) { watches[number] = nil }
        }

        /// Removes and returns the bridge runs that no longer need to wait.
        mutating func takeReached(_ project: ProjectName) -> [(loop: Mailbox<LoopMessage>, run: Int)] {
            var runs: [(loop: Mailbox<LoopMessage>, run: Int)] = []
            for (number, watch) in watches where watch.project == project {
                guard let waiter = watch.waiter, isReached(watch) else { continue }
                watches[number]?.waiter = nil
                runs.append(waiter)
            }
            return runs
        }
    }

    private let state = Locked(State())

    // MARK: Requests

    /// Starts a watch for the next end of the session's turn after the event `after`, and returns the watch's number.
    func watch(_ session: String, of project: ProjectName, after: EventID?, holds: Bool) -> Int {
        state.withLock { state in
            state.count += 1
            state.watches[state.count] = Watch(
                project: project, session: Array(session.utf8), after: after, holds: holds)
            return state.count
        }
    }

    /// The condition for which a bridge run must wait before it sends the response.
    package enum Waiting { case nothing, pause, streams }

    /// Records that the instance has reported the session as idle, and returns the condition for which the bridge run
    /// must wait. If the run must wait for streams, the run's loop calls ``EventStreamFeature/turnReached`` when all
    /// streams have reached the end of the turn.
    package func wait(_ number: Int, run: Int, of loop: Mailbox<LoopMessage>) -> Waiting {
        state.withLock { state in
            state.watches[number]?.isSettled = true
            guard let watch = state.watches[number] else { return .nothing }
            guard state.isReached(watch) else {
                state.watches[number]?.waiter = (loop, run)
                return .streams
            }
            return watch.holds && !state.awaited(watch.project).isEmpty ? .pause : .nothing
        }
    }

    /// Publishes an OpenCode 1 event on the project's translated streams, directly after the end of the watched turn.
    /// Call this method before the response is sent, so that all streams that the watch has stopped receive the event.
    /// The streams omit an event larger than ``largestEvent``.
    package func publish(_ event: [UInt8], after number: Int) {
        guard event.count <= Self.largestEvent else { return }
        state.withLock { $0.watches[number]?.event = event }
    }

    /// Ends a watch after the response to its request was sent, or when the response will never be sent. Streams that
    /// the watch has stopped continue after ``delay``.
    package func stopWatching(_ number: Int) {
        let stopped = state.withLock { state -> (ProjectName, [Mailbox<LoopMessage>])? in
            guard var watch = state.watches[number] else { return nil }
            let now = MonotonicTime.now
            let loops = state.streams[watch.project]?.values.map(\.loop) ?? []
            watch.isSettled = true
            watch.isOver = true
            watch.waiter = nil
            let stops = watch.holds && watch.end != nil && watch.heldUntil.map { $0 > now } ?? false
            watch.heldUntil = stops ? watch.heldUntil.map { min($0, now + Self.delay) } : nil
            if watch.event != nil { watch.retainedUntil = now + Self.retentionTime }
            state.watches[number] = watch.isNeeded(at: now) ? watch : nil
            state.dropOldEvents(of: watch.project)
            return stops ? (watch.project, loops) : nil
        }
        guard let (project, loops) = stopped else { return }
        var posted: Set<ObjectIdentifier> = []
        for loop in loops where posted.insert(ObjectIdentifier(loop)).inserted {
            loop.post(.feature(EventStreamMessage.turnAnswered(project)))
        }
    }

    // MARK: Streams

    /// Adds a translated stream. Every translated stream waits for responses.
    ///
    /// - Parameter isAwaited: Whether responses also wait for the stream.
    func addStream(
        _ stream: ObjectIdentifier, of project: ProjectName, on loop: Mailbox<LoopMessage>, isAwaited: Bool = true
    ) {
        state.withLock {
            $0.streams[project, default: [:]][stream] = Position(loop: loop, isAwaited: isAwaited)
        }
    }

    /// Removes a translated stream that has ended.
    func removeStream(_ stream: ObjectIdentifier, _ project: ProjectName) {
        let runs = state.withLock { state in
            state.streams[project]?[stream] = nil
            if state.streams[project]?.isEmpty == true { state.streams[project] = nil }
            return state.takeReached(project)
        }
        Self.wake(runs)
    }

    /// Records the progress of a stream.
    ///
    /// - Parameters:
    ///   - last: The last frame that the stream has sent.
    ///   - ended: The last `session.idle` at the end of a turn up to that frame.
    ///   - held: The frame before which the stream stops; nil if it does not stop.
    func advanceStream(
        _ stream: ObjectIdentifier, _ project: ProjectName, to last: EventID?, ended: EventID?, held: EventID?
    ) {
        let runs = state.withLock { state in
            state.streams[project]?[stream]?.last = last
            state.streams[project]?[stream]?.ended = ended
            state.streams[project]?[stream]?.held = held
            return state.takeReached(project)
        }
        Self.wake(runs)
    }

    private static func wake(_ runs: [(loop: Mailbox<LoopMessage>, run: Int)]) {
        for (loop, run) in runs { loop.post(.feature(EventStreamMessage.turnReached(run: run))) }
    }

    // MARK: The log

    /// Records that the next event of the project's log, `event`, begins or ends a turn of the session. The hub must
    /// call this method for all such events in order, before a stream can read the events.
    func record(_ mark: TurnBoundary, of session: [UInt8], _ project: ProjectName, at event: EventID) {
        state.withLock { state in
            for (number, watch) in state.watches where watch.project == project && watch.session == session {
                state.watches[number]?.record(mark, at: event)
            }
        }
    }

    /// Records that events are missing at the end of the project's log. If the end of a request's turn is among these
    /// events, the next recorded end belongs to a later turn.
    func recordGap(_ project: ProjectName) {
        state.withLock { state in
            for (number, watch) in state.watches where watch.project == project && watch.end == nil {
                state.watches[number]?.isInterrupted = true
            }
        }
    }

    // MARK: Reading

    /// Returns whether the project has a watch that streams may still need.
    func isWatched(_ project: ProjectName) -> Bool {
        state.withLock { state in
            if state.watches.isEmpty { return false }
            let now = MonotonicTime.now
            state.watches = state.watches.filter { $0.value.isNeeded(at: now) }
            return state.watches.values.contains { $0.project == project }
        }
    }

    /// Returns the time until which a stream stops before this frame; nil if the stream does not stop. The frame must
    /// be the end of a turn.
    func hold(_ session: [UInt8], of project: ProjectName, before frame: EventID) -> MonotonicTime? {
        let event = EventID(generation: frame.generation, sequence: frame.sequence)
        return state.withLock { state in
            var held: MonotonicTime?
            for (number, watch) in state.watches where watch.project == project && watch.session == session {
                // A request to abort may stop a shell command. The hub does not record the end of a shell command, so
                // this frame counts as the end.
                if !watch.holds, watch.end == nil, watch.after.map({ $0 < event }) ?? true {
                    state.watches[number]?.end = event
                }
                guard watch.holds, watch.end == event else { continue }
                let longest = watch.isOver ? nil : MonotonicTime.now + Self.longestHold
                guard let until = watch.heldUntil ?? longest else { continue }
                state.watches[number]?.heldUntil = until
                if until > .now { held = max(held ?? until, until) }
            }
            return held
        }
    }

    /// Returns the JSON of the events to send directly after this frame. The frame must be the `session.idle` at the
    /// end of a turn.
    func events(_ session: [UInt8], of project: ProjectName, after frame: EventID) -> [[UInt8]] {
        state.withLock { state in
            let ended = state.watches.filter { _, watch in
                watch.project == project && watch.session == session && watch.end?.isOfEvent(frame) == true
            }
            return ended.sorted { $0.key < $1.key }.compactMap(\.value.event)
        }
    }
}
