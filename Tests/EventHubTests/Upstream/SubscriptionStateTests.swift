// SPDX-License-Identifier: Apache-2.0

import EventHub
import Testing

private typealias Event = SubscriptionState.Event
private typealias Action = SubscriptionState.Action

/// The times are in seconds: silence 30 s, settling 1 s, grace 1 s, opening 30 s, delays from 0.1 s to 5 s.
@Suite struct SubscriptionStateTests {
    private struct Step {
        let time: Double
        let event: Event
        let actions: [Action]

        init(_ time: Double, _ event: Event, _ actions: [Action] = []) {
            self.time = time
            self.event = event
            self.actions = actions
        }
    }

    private static func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1_000_000_000) }

    /// Performs the steps and returns the state after them.
    @discardableResult
    private func play(_ steps: [Step], settling: Double = 0, _ location: SourceLocation = #_sourceLocation)
        -> SubscriptionState
    {
        var state = SubscriptionState(
            .init(silence: Self.nanoseconds(30), settling: Self.nanoseconds(settling)))
        for step in steps {
            let actions = state.on(step.event, at: Self.nanoseconds(step.time))
            #expect(actions == step.actions, "at \(step.time): \(step.event)", sourceLocation: location)
        }
        return state
    }

    private func deadline(_ state: SubscriptionState) -> Double? { state.deadline.map { Double($0) / 1_000_000_000 } }

    private let started = [
        Step(0, .begin, [.open(1)]), Step(0.1, .opened(1)), Step(0.1, .received(1)),
        Step(0.1, .connected(1), [.follow(1), .announce]),
    ]

    @Test func `a stream is read and announced once the instance reports that it has begun`() {
        let state = play(started)

        #expect(state.isConnected)
        #expect(state.isAnnounced)
        #expect(deadline(state) == 30.1)
    }

    @Test func `one warning is reported if no stream has begun for four seconds, regardless of the refusal`() {
        play([
            Step(0, .begin, [.open(1)]), Step(0, .ended(1)), Step(0.1, .due, [.open(2)]), Step(0.1, .opened(2)),
            Step(3.9, .due), Step(4, .due, [.warn]), Step(9, .due),
        ])
    }

    @Test func `a lost stream causes a warning only if it does not begin again`() {
        play(
            started + [
                Step(10, .ended(1), [.lost]), Step(10.1, .due, [.open(2)]), Step(14, .due, [.warn]),
                Step(15, .connected(2), [.follow(2), .announce]), Step(20, .due),
            ])
        play(
            started + [
                Step(10, .ended(1), [.lost]), Step(10.1, .due, [.open(2)]),
                Step(13, .connected(2), [.follow(2), .announce]), Step(20, .due),
            ])
    }

    @Test func `a repeated begin opens no second stream`() { play(started + [Step(1, .begin)]) }

    @Test func `a stream is announced only after the settling time`() {
        let state = play(
            [Step(0, .begin, [.open(1)]), Step(0, .opened(1)), Step(0.1, .connected(1), [.follow(1)])], settling: 1)

        #expect(!state.isAnnounced)
        #expect(deadline(state) == 1.1)

        play(
            [
                Step(0, .begin, [.open(1)]), Step(0.1, .connected(1), [.follow(1)]), Step(0.5, .due),
                Step(1.1, .due, [.announce]), Step(1.2, .due),
            ], settling: 1)
    }

    @Test func `the end of a stream is a loss, and the stream is reopened after growing delays`() {
        play(
            started + [
                Step(1, .ended(1), [.lost]), Step(1.05, .due), Step(1.1, .due, [.open(2)]), Step(1.2, .ended(2)),
                Step(1.3, .due), Step(1.4, .due, [.open(3)]), Step(1.4, .ended(3)), Step(1.8, .due, [.open(4)]),
                Step(1.9, .connected(4), [.follow(4), .announce]), Step(2, .ended(4), [.lost]),
                // A stream has begun in the meantime, so the first delay applies again.
                Step(2.1, .due, [.open(5)]),
            ])
    }

    @Test func `the delay before a stream is reopened is at most 5 s`() {
        var times = SubscriptionState.Times(silence: Self.nanoseconds(30), settling: 0)
        times.patience = Self.nanoseconds(1_000_000)
        var state = SubscriptionState(times)
        var time: Int64 = 0
        var actions = state.on(.begin, at: time)

        for number in 1...40 {
            #expect(actions == [.open(number)])
            _ = state.on(.ended(number), at: time)
            let next = state.deadline ?? 0
            #expect(next - time <= 5_000_000_000)
            time = next
            actions = state.on(.due, at: time)
        }
    }

    @Test func `a refusal is reported until a stream is opened`() {
        var state = play([Step(0, .begin, [.open(1)]), Step(0.1, .refused(1))])

        #expect(state.isRefused)
        #expect(state.on(.due, at: Self.nanoseconds(0.2)) == [.open(2)])

        _ = state.on(.opened(2), at: Self.nanoseconds(0.3))

        #expect(!state.isRefused)
    }

    @Test func `silence of the first stream opens a second stream and keeps the first one`() {
        let state = play(started + [Step(30, .due), Step(30.1, .due, [.open(2)])])

        #expect(state.isConnected)
        #expect(state.isAnnounced)
    }

    @Test func `the second stream is closed when the first one resumes`() {
        play(
            started + [
                Step(30.1, .due, [.open(2)]), Step(31, .connected(2)), Step(31.5, .received(1), [.close(2)]),
                Step(32.1, .due),
            ])
    }

    @Test func `no further stream is opened when the first one resumes after the second has ended`() {
        let state = play(
            started + [
                Step(30.1, .due, [.open(2)]), Step(30.2, .ended(2)), Step(30.25, .received(1)), Step(30.4, .due),
            ])

        #expect(state.isConnected)
        #expect(deadline(state) == 60.25)
    }

    @Test func `a first stream that stays silent after the second has begun is closed and counts as lost`() {
        play(
            started + [
                Step(30.1, .due, [.open(2)]), Step(31, .connected(2)), Step(31.5, .received(2)), Step(31.9, .due),
                Step(32, .due, [.close(1), .lost, .follow(2), .announce]), Step(33, .received(2)),
            ])
    }

    @Test func `the first stream of a frozen instance is kept while the second one is retried`() {
        // Neither stream sends anything, so the second one is tried again and the first one stays.
        let state = play(
            started + [
                Step(30.1, .due, [.open(2)]), Step(60.1, .due, [.close(2)]), Step(60.2, .due, [.open(3)]),
                Step(90.2, .due, [.close(3)]), Step(91, .received(1)),
            ])

        #expect(state.isConnected)
        #expect(state.isAnnounced)
    }

    @Test func `the second stream immediately replaces a first stream that ends`() {
        play(
            started + [
                Step(30.1, .due, [.open(2)]), Step(30.2, .connected(2)),
                Step(30.3, .ended(1), [.lost, .follow(2), .announce]),
            ])
    }

    @Test func `the end of the second stream is no loss`() {
        play(started + [Step(30.1, .due, [.open(2)]), Step(30.2, .ended(2)), Step(30.3, .due, [.open(3)])])
    }

    @Test func `a stream that does not begin within 30 s is closed and reopened`() {
        play([
            Step(0, .begin, [.open(1)]), Step(29, .due, [.warn]), Step(30, .due, [.close(1)]),
            Step(30.1, .due, [.open(2)]),
        ])
    }

    @Test func `events of an older stream are ignored`() {
        play(
            started + [
                Step(1, .ended(1), [.lost]), Step(1.1, .due, [.open(2)]), Step(1.2, .ended(1)),
                Step(1.2, .connected(1)),
            ])
    }
}
