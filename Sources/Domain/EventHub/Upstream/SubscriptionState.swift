// SPDX-License-Identifier: Apache-2.0

/// The state machine of the gateway's subscription to one instance's events. The state machine receives events and
/// returns actions.
///
/// If a stream is silent, the gateway opens a second stream. The gateway closes the first stream only if the second
/// stream has begun while the first stream was still silent. A stalled OpenCode queues its events and sends them later.
/// A frozen OpenCode sends nothing on either stream.
package struct SubscriptionState: Sendable {
    /// An event of a subscription. The numbers identify streams.
    package enum Event: Sendable, Equatable {
        /// The instance is ready for subscriptions.
        case begin
        /// The response head of the stream has arrived.
        case opened(Int)
        /// The instance did not respond, or the response is not a stream.
        case refused(Int)
        /// Data was received on the stream.
        case received(Int)
        /// The instance has sent the event with which a stream begins.
        case connected(Int)
        /// The stream has ended, or could not be opened.
        case ended(Int)
        /// The time of ``SubscriptionState/deadline`` has been reached.
        case due
    }

    /// An action to perform. Actions must be performed in order.
    package enum Action: Sendable, Equatable {
        /// Open a stream with this number.
        case open(Int)
        /// Close the stream and discard its data.
        case close(Int)
        /// Use the stream with this number from now on, beginning with the data that was retained.
        case follow(Int)
        /// Inform clients that their streams have begun.
        case announce
        /// The followed stream is lost. The instance's events are missing until another stream has begun.
        case lost
        /// Warn the user that no stream has begun for a long time.
        case warn
    }

    /// The times of the state machine, in nanoseconds.
    package struct Times: Sendable {
        /// The time for which a stream may be silent before a second stream is opened.
        package var silence: Int64
        /// The time between the beginning of a stream and its announcement to clients.
        package var settling: Int64
        /// The time between the beginning of a second stream and the closing of the first stream. When a stall ends,
        /// the events on both streams arrive within this time.
        package var grace: Int64 = 1_000_000_000
        /// The maximum time in which a stream must begin.
        package var opening: Int64 = 30_000_000_000
        /// The time without a stream after which the user is warned.
        package var patience: Int64 = 4_000_000_000
        /// The first delay before another attempt. Each further delay is twice as long, up to ``longestDelay``.
        package var delay: Int64 = 100_000_000
        /// The maximum delay before another attempt.
        package var longestDelay: Int64 = 5_000_000_000

        /// Creates times with these values. All other times have their default values.
        package init(silence: Int64, settling: Int64) {
            self.silence = silence
            self.settling = settling
        }
    }

    private struct Stream {
        let number: Int
        var lastReceived: Int64
        var isOpen = false
        var connectedAt: Int64?
    }

    private let times: Times
    private var followed: Stream?
    private var second: Stream?
    private var count = 0
    private var failures = 0
    /// The time of the next attempt; nil if none is scheduled.
    private var retryAt: Int64?
    private var announceAt: Int64?
    /// The time at which the user is warned that no stream has begun; nil if no warning is pending.
    private var warnAt: Int64?

    /// Whether clients were or may be informed that their streams have begun.
    package private(set) var isAnnounced = false
    /// Whether the instance has refused the last attempt.
    package private(set) var isRefused = false

    /// Creates a state without a stream.
    package init(_ times: Times) { self.times = times }

    /// Whether the followed stream has begun.
    package var isConnected: Bool { followed?.connectedAt != nil }

    /// The time at which the caller must pass the next ``Event/due``; nil if none is needed.
    package var deadline: Int64? {
        var deadlines: [Int64] = []
        if let retryAt { deadlines.append(retryAt) }
        if let announceAt { deadlines.append(announceAt) }
        if let warnAt { deadlines.append(warnAt) }
        if let followed {
            let limit = followed.connectedAt == nil ? times.opening : times.silence
            if second == nil, retryAt == nil { deadlines.append(followed.lastReceived + limit) }
        }
        if let second {
            deadlines.append(second.connectedAt.map { $0 + times.grace } ?? second.lastReceived + times.opening)
        }
        return deadlines.min()
    }

    /// Handles an event and returns the actions to perform.
    package mutating func on(_ event: Event, at now: Int64) -> [Action] {
        switch event {
        case .begin:
            guard followed == nil, retryAt == nil else { return [] }
            warnAt = now + times.patience
            return open(now)
        case .opened(let number):
            change(number) { $0.isOpen = true }
            isRefused = false
            return []
        case .refused(let number):
            isRefused = true
            return lose(number, now)
        case .received(let number): return received(number, now)
        case .connected(let number): return connected(number, now)
        case .ended(let number): return lose(number, now)
        case .due: return due(now)
        }
    }

    private mutating func open(_ now: Int64) -> [Action] {
        count += 1
        retryAt = nil
        let stream = Stream(number: count, lastReceived: now)
        if followed == nil { followed = stream } else { second = stream }
        return [.open(count)]
    }

    private mutating func received(_ number: Int, _ now: Int64) -> [Action] {
        change(number) { $0.lastReceived = now }
        // The followed stream is active again, so neither a second stream nor another attempt is needed.
        guard number == followed?.number else { return [] }
        if followed?.connectedAt != nil { retryAt = nil }
        guard let standby = second else { return [] }
        second = nil
        retryAt = nil
        return [.close(standby.number)]
    }

    private mutating func connected(_ number: Int, _ now: Int64) -> [Action] {
        change(number) {
            $0.lastReceived = now
            $0.connectedAt = $0.connectedAt ?? now
        }
        guard number == followed?.number else { return [] }
        failures = 0
        warnAt = nil
        guard !isAnnounced, announceAt == nil else { return [.follow(number)] }
        if times.settling == 0 {
            isAnnounced = true
            return [.follow(number), .announce]
        }
        announceAt = now + times.settling
        return [.follow(number)]
    }

    private mutating func lose(_ number: Int, _ now: Int64) -> [Action] {
        if number == second?.number {
            second = nil
            retryAt = now + nextDelay()
            return []
        }
        guard let lost = followed, number == lost.number else { return [] }
        followed = nil
        if lost.connectedAt != nil { warnAt = now + times.patience }
        return (lost.connectedAt == nil ? [] : [.lost]) + replace(now)
    }

    /// Follows the second stream. If there is none, schedules another attempt.
    private mutating func replace(_ now: Int64) -> [Action] {
        isAnnounced = false
        announceAt = nil
        guard let next = second else {
            retryAt = now + nextDelay()
            return []
        }
        second = nil
        followed = next
        guard next.connectedAt != nil else { return [] }
        failures = 0
        warnAt = nil
        isAnnounced = true
        return [.follow(next.number), .announce]
    }

    private mutating func due(_ now: Int64) -> [Action] {
        var actions: [Action] = []
        if let time = announceAt, time <= now {
            announceAt = nil
            isAnnounced = true
            actions.append(.announce)
        }
        if let time = warnAt, time <= now {
            warnAt = nil
            actions.append(.warn)
        }
        if let time = retryAt, time <= now { actions += open(now) }
        actions += judgeSecond(now)
        guard let first = followed, second == nil, retryAt == nil else { return actions }
        if first.connectedAt == nil {
            guard now - first.lastReceived >= times.opening else { return actions }
            followed = nil
            return actions + [.close(first.number)] + replace(now)
        }
        if now - first.lastReceived >= times.silence { actions += open(now) }
        return actions
    }

    private mutating func judgeSecond(_ now: Int64) -> [Action] {
        guard let standby = second else { return [] }
        if let begun = standby.connectedAt {
            guard now - begun >= times.grace, let first = followed else { return [] }
            followed = nil
            warnAt = now + times.patience
            return [.close(first.number), .lost] + replace(now)
        }
        guard now - standby.lastReceived >= times.opening else { return [] }
        second = nil
        retryAt = now + nextDelay()
        return [.close(standby.number)]
    }

    private mutating func nextDelay() -> Int64 {
        let delay = min(times.longestDelay, times.delay << Int64(min(failures, 16)))
        failures += 1
        return delay
    }

    private mutating func change(_ number: Int, _ body: (inout Stream) -> Void) {
        if var stream = followed, stream.number == number {
            body(&stream)
            followed = stream
        }
        if var stream = second, stream.number == number {
            body(&stream)
            second = stream
        }
    }
}
