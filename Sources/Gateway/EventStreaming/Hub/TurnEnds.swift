// SPDX-License-Identifier: Apache-2.0

import EventHub
package import EventLoop
package import GatewayCore
import Locking
import OpenCodeFamilies
internal import Projects

/// Keeps translated responses and translated event streams in OpenCode 1's order at the end of a turn.
///
/// OpenCode 1 publishes a turn's events before it responds to the request that began the turn, and `session.idle`
/// afterwards. Its clients stop reading at either of these points. OpenCode 2 sends responses and events on two
/// connections, in any order. A request therefore registers a watch before it changes anything. Streams stop before the
/// turn's end while the response is pending, and the response waits until all streams have reached that point. Both
/// waits are bounded, so that neither a slow client nor a lost event delays other clients for long.
///
/// The hub reports the beginnings and ends of turns in the order of the log. The end of the request's turn is therefore
/// the same event for all streams, regardless of the order in which they reach it.
///
/// A request may also publish an event of OpenCode 1 that has no counterpart in OpenCode 2, such as `command.executed`.
/// Each translated stream adds this event to the `session.idle` of the turn's end when it reads that frame. Every
/// stream therefore receives the event once, regardless of the stream's loop. The event is not in a log and has no
/// position. A log's frames and their numbers must be the same at every replay, even after a restart, when the event is
/// no longer known. It is kept for a limited time, whether a stream is open or not. A client that resumes before
/// `session.idle` receives both events, and a client that resumes at `session.idle` or later receives neither.
package final class TurnEnds: Sendable {
    /// The maximum time that a response waits for the streams.
    package static let longestWait = Duration.milliseconds(500)
    /// The maximum time that streams wait for a response, counted from the end of the turn.
    static let longestHold = Duration.seconds(1)
    /// The time from the moment at which all streams have reached the required point until the waiting response is
    /// sent. It is needed because clients read both connections at their own pace.
    package static let pause = Duration.milliseconds(50)
    /// The time between a response and the end of the turn on streams. In OpenCode 1.18, it is 5 to 29 ms.
    static let delay = Duration.milliseconds(10)
    /// How long a published event is kept for streams that are late or resume.
    static let retentionTime = Duration.seconds(30)
    /// The maximum size of a published event in bytes. A client determines the size, because `command.executed`
    /// contains the command's arguments, and each slow stream keeps its own copy.
    static let largestEvent = 64 << 10
    /// The maximum number of published events that are kept for each project.
    static let mostRetained = 64

    /// The watch of a request for the end of a turn.
    private struct Watch {
        let project: ProjectName
        let session: [UInt8]
        /// The last event when the watch began; nil if there was none.
        let after: EventID?
        /// Whether streams stop before the turn's end until the response to the request was sent.
        let holds: Bool
        /// The event of the turn's end; nil until the hub has received it. The id does not name a frame, because the
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
        /// The JSON of the event that the request has published, and the time until which it is kept.
        var event: [UInt8]?
        var retainedUntil: MonotonicTime?

        /// Records an event that begins or ends a turn of the session.
        mutating func record(_ mark: TurnBoundary, at event: EventID) {
            switch mark {
            case .began:
                // If an end is known, it belongs to an earlier turn that was running before the request, so forget it.
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

        /// Returns whether the stream has sent the `session.idle` of this end of a turn.
        func hasPassed(_ end: EventID) -> Bool {
            if end.isOfEvent(ended) { return true }
            guard let last else { return false }
            // A stream that begins directly after the event has sent no frame of it. Its frame number is then `.max`.
            return end.isOfEvent(last) ? last.frame == .max : end < last
        }
    }

    private struct State {
        var watches: [Int: Watch] = [:]
        var count = 0
        var streams: [ProjectName: [ObjectIdentifier: Position]] = [:]

        /// The streams for which the responses of the project wait.
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

        /// Removes the project's oldest watches that are only kept for their events, if there are too many.
        mutating func dropOldEvents(of project: ProjectName) {
            let retained = watches.filter { $0.value.project == project && $0.value.isOver && $0.value.event != nil }
            for number in retained.keys.sorted().dropLast(TurnEnds.mostRetained) { watches[number] = nil }
        }

        /// Removes and returns the bridge runs that do not need to wait any more.
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

    /// Begins a watch for the next end of the session's turn after the event `after`, and returns its number.
    func watch(_ session: String, of project: ProjectName, after: EventID?, holds: Bool) -> Int {
        state.withLock { state in
            state.count += 1
            state.watches[state.count] = Watch(
                project: project, session: Array(session.utf8), after: after, holds: holds)
            return state.count
        }
    }

    /// The condition for which a request must wait before its response is sent.
    package enum Waiting { case nothing, pause, streams }

    /// Makes the bridge run wait until the instance has reported the session as idle and all streams have reached the
    /// end of the turn. ``EventStreamFeature/turnReached`` is then called with the run's number, unless the run does
    /// not need to wait.
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

    /// Publishes an event of OpenCode 1 on the project's translated streams, directly after the end of the watched
    /// turn. The response is sent afterwards, so that all streams that the watch has stopped receive the event. An
    /// event larger than ``largestEvent`` is omitted.
    package func publish(_ event: [UInt8], after number: Int) {
        guard event.count <= Self.largestEvent else { return }
        state.withLock { $0.watches[number]?.event = event }
    }

    /// Ends a watch, because the response to its request was sent or will never be sent. Streams that the watch has
    /// stopped continue a moment later.
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

    /// Adds a translated stream that begins. Every such stream waits for responses.
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
    /// call this for all such events in order, before a stream can read them.
    func record(_ mark: TurnBoundary, of session: [UInt8], _ project: ProjectName, at event: EventID) {
        state.withLock { state in
            for (number, watch) in state.watches where watch.project == project && watch.session == session {
                state.watches[number]?.record(mark, at: event)
            }
        }
    }

    /// Records that events are missing at the end of the project's log. If the end of a request's turn is not known, it
    /// may be among them, and the next end could belong to a later turn.
    func recordGap(_ project: ProjectName) {
        state.withLock { state in
            for (number, watch) in state.watches where watch.project == project && watch.end == nil {
                state.watches[number]?.isInterrupted = true
            }
        }
    }

    // MARK: Reading

    /// Returns whether a request waits for streams of this project.
    func isWatched(_ project: ProjectName) -> Bool {
        state.withLock { state in
            if state.watches.isEmpty { return false }
            let now = MonotonicTime.now
            state.watches = state.watches.filter { $0.value.isNeeded(at: now) }
            return state.watches.values.contains { $0.project == project }
        }
    }

    /// Returns the time until which a stream stops before this frame, which is the end of a turn; nil if it does not
    /// stop.
    func hold(_ session: [UInt8], of project: ProjectName, before frame: EventID) -> MonotonicTime? {
        let event = EventID(generation: frame.generation, sequence: frame.sequence)
        return state.withLock { state in
            var held: MonotonicTime?
            for (number, watch) in state.watches where watch.project == project && watch.session == session {
                // The turn that a request to abort stops may be a shell command, whose end the hub does not record.
                // This frame is then the end.
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

    /// Returns the JSON of the events to send directly after this frame, which is the `session.idle` at the end of a
    /// turn.
    func events(_ session: [UInt8], of project: ProjectName, after frame: EventID) -> [[UInt8]] {
        state.withLock { state in
            let ended = state.watches.filter { _, watch in
                watch.project == project && watch.session == session && watch.end?.isOfEvent(frame) == true
            }
            return ended.sorted { $0.key < $1.key }.compactMap(\.value.event)
        }
    }
}
