// SPDX-License-Identifier: Apache-2.0

/// The conditions for the beginning of an event stream. Pure.
struct StreamBeginning {
    /// How long the hub may take until it receives the events of an instance.
    static let patience = Duration.seconds(2)
    /// How much longer the instance may take to open the stream's directory.
    static let openingPatience = Duration.seconds(2)
    /// The time in milliseconds after which an instance whose events cannot be received delays no other
    /// stream than its own.
    private static let longestSilence: Int64 = 10_000

    /// Whether the instance has opened the stream's directory.
    var isOpen = false
    /// Whether the hub's time for receiving the events of the instance is over.
    var isLate = false
    private var isAsked = false
    /// The number of times that the time of a step has passed.
    private var passedSteps = 0
    /// How long the instance may take to begin the stream after all other times have passed; nil: without a limit,
    /// because the stream needs nothing of the instance.
    private let answerTimeout: Duration?

    init(isOpen: Bool = false, isLate: Bool = false, answerTimeout: Duration? = nil) {
        self.isOpen = isOpen
        self.isLate = isLate
        self.answerTimeout = answerTimeout
    }

    /// The decision when the time of a step has passed.
    enum TimeDecision: Equatable {
        /// The stream may begin now; the next decision comes after this time, or never.
        case wait(Duration?)
        /// The stream cannot begin.
        case expired
    }

    /// Records that the time of the present step has passed: of the hub, then of the directory, then of the answer.
    mutating func timePassed() -> TimeDecision {
        passedSteps += 1
        isLate = true
        guard let answerTimeout else { return .wait(nil) }
        guard passedSteps < 3 else { return .expired }
        guard passedSteps == 2 else { return .wait(Self.openingPatience) }
        // An instance that does not open the directory delays no client's head: its events come from the hub's own
        // stream.
        isOpen = true
        return .wait(answerTimeout)
    }

    /// Whether the gateway no longer waits for an instance whose events it has not received since `since`. Both times
    /// are in milliseconds since 1970.
    static func isGivenUp(since: Int64, now: Int64) -> Bool { now - since > longestSilence }

    /// Whether to ask the hub now for the position at which the stream begins. True only once, until
    /// ``begins(isHeard:)``.
    mutating func wantsPlace(isHeard: @autoclosure () -> Bool) -> Bool {
        guard isOpen, !isAsked, isLate || isHeard() else { return false }
        isAsked = true
        return true
    }

    /// Whether the stream begins at the position that the hub has sent.
    ///
    /// The hub may have lost the instance before it received the request, and this loop may have learned of that only
    /// afterwards. A stream that began at the position would miss the events until the hub is connected again, so the
    /// request is repeated then.
    mutating func begins(isHeard: @autoclosure () -> Bool) -> Bool {
        isAsked = isLate || isHeard()
        return isAsked
    }
}
