/// What becomes of the gateway's own stream of one instance's events. A value: what has happened in, what is to be done out.
///
/// A silent stream is not given up before a second one has begun and the first is still silent: a stalled OpenCode holds in its
/// queue what it will say, and one that was frozen says nothing on either.
package struct SubscriptionState: Sendable {
    /// What has happened; streams are told by their numbers.
    package enum Event: Sendable, Equatable {
        /// The instance is ready.
        case begin
        /// The answer's head is a stream's.
        case opened(Int)
        /// The answer is none, or another one than a stream.
        case refused(Int)
        /// Something has come.
        case heard(Int)
        /// The instance has said that the stream has begun.
        case connected(Int)
        /// The stream has broken, or could not be opened.
        case ended(Int)
        /// The time asked for has come.
        case due
    }

    /// What is to be done, in this order.
    package enum Action: Sendable, Equatable {
        /// Opens a stream with this number.
        case open(Int)
        /// Closes it: nothing of it counts any more.
        case close(Int)
        /// This stream is what clients get from now on; what it has said is taken, first of all what was held of it.
        case follow(Int)
        /// Clients may be told that their streams have begun.
        case announce
        /// The stream that was followed is lost, and with it what the instance says until another one has begun.
        case lost
        /// No stream has begun for so long that people should know.
        case warn
    }

    /// The times that it goes by, in nanoseconds.
    package struct Times: Sendable {
        /// How long a stream may be silent before a second one is opened.
        package var silence: Int64
        /// How long after the beginning of a stream clients are told of it.
        package var settling: Int64
        /// How long a second stream has begun before the first one is given up: what both say at the end of a stall
        /// comes within this.
        package var grace: Int64 = 1_000_000_000
        /// How long the beginning of a stream may take.
        package var opening: Int64 = 30_000_000_000
        /// How long no stream may have begun before people are warned.
        package var patience: Int64 = 4_000_000_000
        /// The first delay before another try; doubled each time, up to ``longestDelay``.
        package var delay: Int64 = 100_000_000
        /// The longest delay.
        package var longestDelay: Int64 = 5_000_000_000

        /// Times with the usual rest.
        package init(silence: Int64, settling: Int64) {
            self.silence = silence
            self.settling = settling
        }
    }

    private struct Stream {
        let number: Int
        var lastHeard: Int64
        var isOpen = false
        var connectedAt: Int64?
    }

    private let times: Times
    private var followed: Stream?
    private var second: Stream?
    private var count = 0
    private var failures = 0
    /// When the next try is made.
    private var retryAt: Int64?
    private var announceAt: Int64?
    /// When people are warned that no stream has begun; nil: one has, or they were.
    private var warnAt: Int64?

    /// Whether clients may be told that their streams have begun.
    package private(set) var isAnnounced = false
    /// Whether the last try was refused.
    package private(set) var isRefused = false

    /// No stream yet.
    package init(_ times: Times) { self.times = times }

    /// Whether a stream is followed that has begun.
    package var isConnected: Bool { followed?.connectedAt != nil }

    /// When ``Event/due`` is to come, at the latest; nil: not at all.
    package var deadline: Int64? {
        var deadlines: [Int64] = []
        if let retryAt { deadlines.append(retryAt) }
        if let announceAt { deadlines.append(announceAt) }
        if let warnAt { deadlines.append(warnAt) }
        if let followed {
            let limit = followed.connectedAt == nil ? times.opening : times.silence
            if second == nil, retryAt == nil { deadlines.append(followed.lastHeard + limit) }
        }
        if let second {
            deadlines.append(second.connectedAt.map { $0 + times.grace } ?? second.lastHeard + times.opening)
        }
        return deadlines.min()
    }

    /// Goes on.
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
        case .heard(let number): return heard(number, now)
        case .connected(let number): return connected(number, now)
        case .ended(let number): return lose(number, now)
        case .due: return due(now)
        }
    }

    private mutating func open(_ now: Int64) -> [Action] {
        count += 1
        retryAt = nil
        let stream = Stream(number: count, lastHeard: now)
        if followed == nil { followed = stream } else { second = stream }
        return [.open(count)]
    }

    private mutating func heard(_ number: Int, _ now: Int64) -> [Action] {
        change(number) { $0.lastHeard = now }
        // The first one speaks: a second is not needed, nor another try.
        guard number == followed?.number else { return [] }
        if followed?.connectedAt != nil { retryAt = nil }
        guard let spare = second else { return [] }
        second = nil
        retryAt = nil
        return [.close(spare.number)]
    }

    private mutating func connected(_ number: Int, _ now: Int64) -> [Action] {
        change(number) {
            $0.lastHeard = now
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

    /// Goes on with the second stream, or tries again.
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
            guard now - first.lastHeard >= times.opening else { return actions }
            followed = nil
            return actions + [.close(first.number)] + replace(now)
        }
        if now - first.lastHeard >= times.silence { actions += open(now) }
        return actions
    }

    private mutating func judgeSecond(_ now: Int64) -> [Action] {
        guard let spare = second else { return [] }
        if let begun = spare.connectedAt {
            guard now - begun >= times.grace, let first = followed else { return [] }
            followed = nil
            warnAt = now + times.patience
            return [.close(first.number), .lost] + replace(now)
        }
        guard now - spare.lastHeard >= times.opening else { return [] }
        second = nil
        retryAt = now + nextDelay()
        return [.close(spare.number)]
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
