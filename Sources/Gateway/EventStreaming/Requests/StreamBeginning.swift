// SPDX-License-Identifier: Apache-2.0

/// The decision when an event stream may begin. The type performs no I/O.
struct StreamBeginning {
    /// The time limit for the hub to receive the events of an instance.
    static let patience = Duration.seconds(2)
    /// The additional time limit for the instance to open the stream's directory.
    static let openingPatience = Duration.seconds(2)
    /// The time in milliseconds after which the gateway's own streams no longer wait for an instance's events.
    private static let longestSilence: Int64 = 10_000

    /// Whether the instance has opened the stream's directory.
    var isOpen = false
    /// Whether the time limit for the hub has passed.
    var isLate = false
    private var hasRequestedPosition = false
    /// The number of steps whose time limit has passed.
    private var passedSteps = 0
    /// The time limit for the instance to begin the stream after all other limits have passed; nil if the stream
    /// needs nothing from the instance.
    private let answerTimeout: Duration?

    init(isOpen: Bool = false, isLate: Bool = false, answerTimeout: Duration? = nil) {
        self.isOpen = isOpen
        self.isLate = isLate
        self.answerTimeout = answerTimeout
    }

    /// The decision after the time limit of a step has passed.
    enum TimeDecision: Equatable {
        /// The stream may begin as soon as its directory is open. The value is the time until the next decision; nil if
        /// there is no further decision.
        case wait(Duration?)
        /// The time limit has passed, and the stream cannot begin.
        case expired
    }

    /// Records that the time limit of the current step has passed. The steps wait for the hub, then for the directory,
    /// and then for the beginning of the stream.
    mutating func timePassed() -> TimeDecision {
        passedSteps += 1
        isLate = true
        guard let answerTimeout else { return .wait(nil) }
        guard passedSteps < 3 else { return .expired }
        guard passedSteps == 2 else { return .wait(Self.openingPatience) }
        // The events come from the hub's own stream. The response's head therefore does not wait for an instance that
        // does not open the directory.
        isOpen = true
        return .wait(answerTimeout)
    }

    /// Returns whether the gateway has stopped waiting for an instance whose events have been missing since `since`.
    /// Both times are in milliseconds since 1970.
    static func isGivenUp(since: Int64, now: Int64) -> Bool { now - since > longestSilence }

    /// Returns whether to request the stream's start position from the hub now. The result is true only once, until
    /// ``mayStart(receivesEvents:)`` is called.
    mutating func needsPosition(receivesEvents: @autoclosure () -> Bool) -> Bool {
        guard isOpen, !hasRequestedPosition, isLate || receivesEvents() else { return false }
        hasRequestedPosition = true
        return true
    }

    /// Returns whether the stream begins at the position that the hub has sent.
    ///
    /// The hub may have lost the instance before the hub received the request for the position, and this loop may learn
    /// of the loss only afterwards. A stream that began at this position would miss the events until the hub is
    /// connected again. In this case, returns false, and the loop later requests the position again.
    mutating func mayStart(receivesEvents: @autoclosure () -> Bool) -> Bool {
        hasRequestedPosition = isLate || receivesEvents()
        return hasRequestedPosition
    }
}
