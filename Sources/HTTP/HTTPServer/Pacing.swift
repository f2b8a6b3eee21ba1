// SPDX-License-Identifier: Apache-2.0

/// How a connection waits for the response to a complete request: at first without being suspended.
///
/// Suspending and resuming cost three system calls and a walk over all suspended connections. libmicrohttpd calls a
/// connection that is not suspended in each of its runs, which costs nothing when it runs for others anyway. Most
/// responses come within a few runs. With 8 calls without effect a small GET makes 5.1 system calls (64 connections in step;
/// nginx: 5.0).
struct AnswerWait: Equatable {
    /// The consequence of a call without effect.
    enum Step: Equatable {
        /// The first call: the server counts one more waiting connection.
        case begins
        case goesOn
        /// The wait was long enough: the connection is suspended.
        case ends
    }

    private static let mostCalls = 8

    private var vainCalls = 0

    /// Whether libmicrohttpd calls for a response that is not available yet.
    var isOn: Bool { vainCalls > 0 }

    /// Counts a request of libmicrohttpd for the response that was without effect.
    mutating func askedInVain() -> Step {
        vainCalls += 1
        if vainCalls > Self.mostCalls { return .ends }
        return vainCalls == 1 ? .begins : .goesOn
    }

    /// Ends the wait, because the response is available or no client can receive it any more. Returns whether the
    /// connection was waiting.
    mutating func end() -> Bool {
        guard isOn else { return false }
        vainCalls = 0
        return true
    }
}

/// Combines the parts of a streaming body before they are forwarded.
///
/// libmicrohttpd delivers half of its pool in each of its runs, 10 KB. Forwarding each part by itself costs a system
/// call that wakes the instance each time. So the exchange is notified of parts when a run has delivered no other one,
/// when no run follows immediately, or when enough bytes have gathered: no part waits for the client. A body of 64 MiB
/// takes 660 µs a MiB instead of 850.
struct BodyGathering: Equatable {
    /// The action for a received part.
    enum Step: Equatable {
        /// The part is the first one that waits for others.
        case begins
        case goesOn
        /// The exchange is notified immediately.
        case tell
    }

    /// The size of the gathered parts, in bytes, at which the exchange is notified immediately: below
    /// ``ServerLimits/highWater``.
    static let enough = 192 * 1024
    /// The maximum number of runs that a part waits: a few more than full parts need. Where other connections keep
    /// libmicrohttpd running, the bytes of a client that sends only a few each time would otherwise be forwarded very
    /// late.
    private static let mostRuns = 24

    /// The run that has delivered the last part; nil where nothing is gathered.
    private var lastRun: UInt64?
    private var runs = 0

    /// Counts a part that has arrived; `waiting` is the number of bytes that wait, including it.
    mutating func pieceCame(in run: UInt64, waiting: Int) -> Step {
        if waiting >= Self.enough {
            runs = 0
            return .tell
        }
        defer { lastRun = run }
        return lastRun == nil ? .begins : .goesOn
    }

    /// Counts a run that has ended; `goesOn` is whether another one follows immediately. Returns whether the exchange
    /// is notified now.
    mutating func ended(_ run: UInt64, goesOn: Bool) -> Bool {
        runs += 1
        if goesOn, lastRun == run, runs < Self.mostRuns { return false }
        lastRun = nil
        runs = 0
        return true
    }
}

/// Detects that libmicrohttpd has stopped reading a chunked body.
///
/// libmicrohttpd keeps the line with a chunk's size and extensions in its memory until the line is complete. Where a
/// line fills this memory, 0.9.75 reads nothing any more and requests the next run immediately, forever. 1.0.1 refuses
/// the request twice, abandons it without a response because of that, and closes the connection only when it is run for
/// another reason: each check runs it. In each of its runs it reads from every connection that it has space for. So
/// bytes that wait in the kernel before and after a run are bytes that it will not read.
struct ReadingStall: Equatable {
    /// The interval between two checks.
    static let interval = Duration.milliseconds(50)
    /// The number of checks without progress after which a line is too long although no bytes wait after it: the line
    /// fills the memory exactly.
    private static let mostVainLooks = 20

    /// The number of bytes read from the socket at the last check.
    private var bytesRead: UInt64?
    private var wasInputWaiting = false
    private var vainLooks = 0
    /// Whether any part of the body has arrived.
    private(set) var hasPiece = false

    /// Records that a part of the body has arrived.
    mutating func progressed() {
        self = ReadingStall()
        hasPiece = true
    }

    /// Checks the connection between two runs; returns whether it is blocked.
    ///
    /// - Parameters:
    ///   - bytesRead: The bytes read from the socket, as the kernel counts them.
    ///   - mayBeFull: Whether the bytes read may fill the memory.
    mutating func look(bytesRead: UInt64?, isInputWaiting: Bool, mayBeFull: Bool) -> Bool {
        defer {
            self.bytesRead = bytesRead
            wasInputWaiting = isInputWaiting
        }
        guard let bytesRead, bytesRead == self.bytesRead else {
            vainLooks = 0
            return false
        }
        vainLooks = mayBeFull ? vainLooks + 1 : 0
        return wasInputWaiting && isInputWaiting || vainLooks >= Self.mostVainLooks
    }
}

/// The time of libmicrohttpd's next run, which it requests by a time-out of zero.
///
/// libmicrohttpd always requests this for each connection that waits for its response (``AnswerWait``). Only an event
/// of the loop can end that wait, so a run in which connections have only begun to wait is not followed by another.
/// This saves one system call for each request that comes on its own. 0.9.75 also requests it indefinitely where a line
/// of a chunked body does not fit its buffer. After 16 runs without effect, which is more than any
/// request needs, the gateway runs it every 5 ms until ``ReadingStall`` closes that connection.
struct RunPacing: Equatable {
    /// The time when the next run is due.
    enum Next: Equatable {
        case atOnce
        /// The run is due after ``interval``.
        case later
        /// The run is due when the loop receives an event.
        case onEvent
    }

    static let interval = Duration.milliseconds(5)
    private static let mostIdleRuns = 16

    /// The number of connections for which libmicrohttpd requests a response that is not available yet.
    private(set) var waitingConnections = 0
    /// The connection of libmicrohttpd's last callback, unless it now waits for its response. All calls of one run for
    /// one connection come consecutively.
    private var unsettled: ObjectIdentifier?
    private var hasWorked = false
    /// Whether libmicrohttpd has received a response since its last run. It sends the response in the next run and
    /// finishes or continues in the run after that, without an event for the loop.
    private var hasAnswer = false
    /// Whether the last run has sent such a response.
    private var hasSentAnswer = false
    private var idleRuns = 0

    /// Counts a connection that begins to wait for its response.
    mutating func waitBegins(_ connection: ObjectIdentifier) {
        waitingConnections += 1
        if unsettled == connection { unsettled = nil }
    }

    /// Counts a connection that no longer waits.
    mutating func waitEnds() { waitingConnections -= 1 }

    /// Records that libmicrohttpd received a response outside of its runs.
    mutating func answerGiven() { hasAnswer = true }

    /// Starts a run of libmicrohttpd.
    mutating func begins() {
        hasWorked = false
        unsettled = nil
        hasSentAnswer = hasAnswer
        hasAnswer = false
    }

    /// Records a callback of libmicrohttpd for a connection that had an effect.
    mutating func works(_ connection: ObjectIdentifier) {
        if unsettled != nil, unsettled != connection { hasWorked = true }
        unsettled = connection
    }

    /// Ends the run and returns when the next one is due. `wantsMore` is libmicrohttpd's request, `isRequested` the
    /// request of others.
    mutating func ended(wantsMore: Bool, isRequested: Bool) -> Next {
        idleRuns = wantsMore && !hasWorked && !hasSentAnswer && unsettled == nil ? idleRuns + 1 : 0
        if isRequested || wantsMore && idleRuns < (waitingConnections > 0 ? 1 : Self.mostIdleRuns) { return .atOnce }
        return wantsMore ? .later : .onEvent
    }
}
