// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop

/// The state of a client's event stream. The state decides when the stream reads the log, and what the stream does if
/// no event arrives. The state performs no I/O.
struct EventStreamState {
    /// The time without output after which one of the gateway's own streams sends a comment.
    static let gatewayComment = Duration.seconds(15)
    /// The time without output after which one of OpenCode's own streams sends a comment during a long replay.
    static let replayComment = Duration.seconds(10)

    /// The decision whether to read the log.
    enum ReadDecision: Equatable {
        /// The stream reads the log now.
        case read
        /// The stream reads the log at the next time that its maximum rate allows (``deadline(at:)``).
        case later
        /// The stream does not read the log now, because a read is in progress, the client accepts no bytes, or the
        /// stream has ended.
        case no
    }

    /// An action that is due when a deadline has passed.
    enum TimeAction: Equatable {
        /// The client has accepted nothing for too long.
        case endStalled
        case read
        case sendHeartbeat
        case sendComment
    }

    private(set) var isReading = false
    private(set) var isBlocked = false
    private(set) var isEnded = false
    /// Whether there are events that the stream has not read.
    private(set) var hasPendingUpdate = false
    /// Whether the event after which the stream ends is known.
    private var hasLast = false
    /// The stream's position, if the client has accepted everything before this position; nil while bytes are unsent.
    private(set) var live: LogPosition?
    /// Whether this is one of OpenCode's own streams.
    private let isPlain: Bool
    /// Whether the gateway itself sends the stream's heartbeats, because it translates the events of
    /// an OpenCode 2 instance.
    private let sendsHeartbeats: Bool
    /// The minimum time between two reads of the log; nil if there is no limit.
    private let pace: Duration?
    private var nextRead = MonotonicTime(nanoseconds: 0)
    /// The time at which the stream must read the log even if nothing has arrived.
    private var wake: MonotonicTime?
    private var lastSent: MonotonicTime
    private var lastHeartbeat: MonotonicTime
    private var stall: StallWatch

    /// Creates the state of a stream that begins now.
    ///
    /// - Parameters:
    ///   - isPlain: Whether this is one of OpenCode's own streams.
    ///   - isTranslated: Whether the stream's events are translated for clients of OpenCode 1.
    ///   - maxRate: The maximum number of reads of the log per second; nil if there is no limit.
    ///   - stallLimit: The maximum time during which the client accepts no bytes.
    init(isPlain: Bool, isTranslated: Bool, maxRate: Int?, stallLimit: Duration, at now: MonotonicTime) {
        self.isPlain = isPlain
        sendsHeartbeats = isPlain && isTranslated
        pace = maxRate.map { .seconds(1) / $0 }
        stall = StallWatch(limit: stallLimit)
        lastSent = now
        lastHeartbeat = now
    }

    /// Whether the stream has a maximum rate, and is therefore intentionally late.
    var hasRate: Bool { pace != nil }

    /// Whether no read is in progress and the client has accepted everything.
    var isIdle: Bool { !isReading && !isBlocked && !isEnded }

    /// Whether the client has received everything, so that a frame that is not in a log can be sent.
    var isLive: Bool { isIdle && live != nil }

    /// Returns whether the stream can receive items that begin at this position without reading the log.
    func isLive(at position: LogPosition) -> Bool { isIdle && !hasLast && live == position }

    /// Records that the log has new events. Returns whether to read the events now.
    mutating func recordUpdate() -> Bool {
        if isReading || isBlocked, !isEnded { hasPendingUpdate = true }
        return isIdle
    }

    /// Decides whether to read the log now. A decision to read also records that a read is in progress.
    mutating func wantsRead(at now: MonotonicTime) -> ReadDecision {
        guard isIdle else { return .no }
        if let pace {
            guard now >= nextRead else {
                hasPendingUpdate = true
                return .later
            }
            nextRead = now + pace
        }
        isReading = true
        hasPendingUpdate = false
        wake = nil
        return .read
    }

    /// Records that a read has ended, and that its result has not been sent yet.
    mutating func recordRead() {
        isReading = false
        if !isEnded { live = nil }
    }

    /// Records that a batch of live events was sent completely.
    mutating func recordDelivery(upTo position: LogPosition?, hasBytes: Bool, at now: MonotonicTime) {
        live = position
        if hasBytes { lastSent = now }
    }

    /// Records that the client has accepted bytes of a batch.
    ///
    /// - Parameters:
    ///   - byteCount: The number of accepted bytes.
    ///   - position: The stream's position, if everything before it was sent; nil otherwise.
    mutating func recordSent(_ byteCount: Int, at position: LogPosition?, now: MonotonicTime) {
        live = position
        guard byteCount > 0 else { return }
        lastSent = now
        stall.stop()
    }

    /// Records that the stream has sent bytes that are not in the log.
    mutating func recordWrite(at now: MonotonicTime) { lastSent = now }

    /// Records that the client accepts no more bytes at present. `unacknowledged` is the number of bytes that the
    /// kernel holds for the client.
    mutating func block(unacknowledged: Int, at now: MonotonicTime) {
        isBlocked = true
        stall.start(unacknowledged: unacknowledged, at: now)
    }

    /// Records that the client accepts bytes again. Returns false if the stream was not blocked.
    mutating func unblock() -> Bool {
        guard isBlocked, !isEnded else { return false }
        isBlocked = false
        return true
    }

    /// Sets the time at which the stream reads the log even if nothing has arrived.
    mutating func wait(until time: MonotonicTime) { wake = time }

    /// Returns whether to continue reading the log after a batch was sent.
    ///
    /// - Parameter isAtEnd: Whether the batch reaches the end of the log.
    func continues(isAtEnd: Bool) -> Bool { !isAtEnd || hasPendingUpdate || live == nil }

    /// Records that the event after which the stream ends is known.
    mutating func recordLastEvent() { hasLast = true }

    /// Ends the stream. Returns false if the stream had already ended.
    mutating func finish() -> Bool {
        defer { isEnded = true }
        return !isEnded
    }

    // MARK: Time

    private var commentInterval: Duration { isPlain ? Self.replayComment : Self.gatewayComment }

    /// Returns the time of the next call of ``timePassed(at:unacknowledged:)``.
    func deadline(at now: MonotonicTime) -> MonotonicTime {
        var deadline = (sendsHeartbeats ? lastHeartbeat : lastSent) + commentInterval
        if isBlocked {
            deadline = stall.nextLook(now)
        } else if hasPendingUpdate, !isReading {
            deadline = min(deadline, nextRead)
        }
        return wake.map { min($0, deadline) } ?? deadline
    }

    /// Returns the actions that are due.
    ///
    /// - Parameter unacknowledged: The number of bytes that the kernel holds for the client.
    mutating func timePassed(at now: MonotonicTime, unacknowledged: @autoclosure () -> Int) -> [TimeAction] {
        if isBlocked { return stall.isOver(unacknowledged: unacknowledged(), at: now) ? [.endStalled] : [] }
        var actions: [TimeAction] = []
        if hasPendingUpdate || (wake.map { $0 <= now } ?? false), wantsRead(at: now) == .read { actions.append(.read) }
        if sendsHeartbeats {
            if now - lastHeartbeat >= commentInterval {
                lastHeartbeat = now
                actions.append(.sendHeartbeat)
            }
        } else if now - lastSent >= commentInterval {
            // One of OpenCode's own streams forwards OpenCode's heartbeats and needs no comments. A long replay
            // contains no heartbeats, so the gateway sends comments during the replay.
            if !isPlain || isReading { actions.append(.sendComment) }
            lastSent = now
        }
        return actions
    }
}
