// SPDX-License-Identifier: Apache-2.0

/// The state of a connection that waits for the response to a complete request. At first, the connection is not
/// suspended.
///
/// Suspending and resuming cost three system calls and an iteration over all suspended connections. In each of its
/// runs, libmicrohttpd calls the handler of every connection that is not suspended. These calls cost no system call if
/// libmicrohttpd runs for other connections anyway. Most responses are ready within a few runs, so the connection is
/// suspended only after 8 calls without effect. With this limit, a small GET takes 5.1 system calls, measured with 64
/// synchronised connections. With nginx, it takes 5.0.
struct AnswerWait: Equatable {
    /// The consequence of a call that had no effect.
    enum Step: Equatable {
        /// The call is the first one without effect, so the server counts one more waiting connection.
        case begins
        case continues
        /// The wait was long enough, so the connection is suspended.
        case ends
    }

    private static let mostCalls = 8

    private var vainCalls = 0

    /// Whether libmicrohttpd is calling for a response that is not available yet.
    var isOn: Bool { vainCalls > 0 }

    /// Counts a call for the response that had no effect.
    mutating func calledWithoutEffect() -> Step {
        vainCalls += 1
        if vainCalls > Self.mostCalls { return .ends }
        return vainCalls == 1 ? .begins : .continues
    }

    /// Ends the wait, because the response is available or no client can receive it any more. Returns whether the
    /// connection was waiting.
    mutating func stop() -> Bool {
        guard isOn else { return false }
        vainCalls = 0
        return true
    }
}

/// Combines the parts of a streaming body before they are forwarded.
///
/// libmicrohttpd delivers half of its pool (10 KB) in each run. Forwarding each part separately would cost a system
/// call that wakes the instance. The exchange is therefore notified when a run has delivered no further part, when no
/// run follows immediately, or when enough bytes have been collected. No part waits for further bytes from the client.
/// With this method, a 64 MiB body takes 660 µs per MiB instead of 850 µs.
struct BodyGathering: Equatable {
    /// The action for a received part.
    enum Step: Equatable {
        /// The part is the first one, and waits for others.
        case begins
        case continues
        /// The exchange is notified immediately.
        case notify
    }

    /// The number of collected bytes at which the exchange is notified immediately. This number is below
    /// ``ServerLimits/highWater``.
    static let enough = 192 * 1024
    /// The maximum number of runs that a part waits. The number is slightly greater than the number of runs in which
    /// full parts reach ``enough`` bytes. Without this limit, the bytes of a client that sends only a few at a time
    /// could wait very long while other connections keep libmicrohttpd running.
    private static let mostRuns = 24

    /// The number of the run that delivered the last part; nil if nothing is collected.
    private var lastRun: UInt64?
    private var runs = 0

    /// Counts a part that has arrived.
    ///
    /// - Parameter waiting: The number of waiting bytes, including this part.
    mutating func partArrived(in run: UInt64, waiting: Int) -> Step {
        if waiting >= Self.enough {
            runs = 0
            return .notify
        }
        defer { lastRun = run }
        return lastRun == nil ? .begins : .continues
    }

    /// Counts a run that has ended. Returns whether to notify the exchange now.
    ///
    /// - Parameter continues: Whether another run follows immediately.
    mutating func ended(_ run: UInt64, continues: Bool) -> Bool {
        runs += 1
        if continues, lastRun == run, runs < Self.mostRuns { return false }
        lastRun = nil
        runs = 0
        return true
    }
}

/// Detects that libmicrohttpd cannot continue to read a chunked body.
///
/// libmicrohttpd keeps the line with a chunk's size and extensions in its memory until the line is complete. If the
/// line fills this memory, version 0.9.75 stops reading and requests the next run immediately, forever. Version 1.0.1
/// rejects the request twice and therefore abandons it without a response. Version 1.0.1 closes the connection only in
/// a later run that another event causes. The server therefore runs libmicrohttpd between two checks. In a run,
/// libmicrohttpd reads from every connection that has space in its memory. If bytes wait in the kernel both before and
/// after a run, libmicrohttpd will not read them.
struct ReadingStall: Equatable {
    /// The interval between two checks.
    static let interval = Duration.milliseconds(50)
    /// The number of checks without progress after which a line counts as too long even if no bytes wait after the
    /// line. This is the case if the line fills the memory exactly.
    private static let mostVainLooks = 20

    /// The number of bytes read from the socket at the last check.
    private var bytesRead: UInt64?
    private var wasInputWaiting = false
    private var vainLooks = 0
    /// Whether any part of the body has arrived.
    private(set) var hasPart = false

    /// Records that a part of the body has arrived.
    mutating func progressed() {
        self = ReadingStall()
        hasPart = true
    }

    /// Checks the connection between two runs. Returns whether the connection is blocked.
    ///
    /// - Parameters:
    ///   - bytesRead: The number of bytes read from the socket, as counted by the kernel.
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

/// Determines the time of the next run that libmicrohttpd requests with a time-out of zero.
///
/// libmicrohttpd always requests a run for each connection that waits for its response (``AnswerWait``). Only an event
/// on the loop can end the wait. If a run had no effect except that connections began to wait, no other run follows.
/// The omitted run saves one system call for each request that arrives alone.
///
/// Version 0.9.75 also requests runs forever if a line of a chunked body does not fit into libmicrohttpd's memory.
/// After 16 runs without effect, which is more than any request needs, the gateway runs libmicrohttpd every 5 ms until
/// ``ReadingStall`` detects the blocked connection.
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

    /// The number of connections that wait for a response that is not available yet. libmicrohttpd calls their
    /// callbacks in each run.
    private(set) var waitingConnections = 0
    /// The connection of libmicrohttpd's last callback, unless the connection now waits for its response. All callbacks
    /// of one run for one connection are consecutive.
    private var unsettled: ObjectIdentifier?
    private var hasWorked = false
    /// Whether libmicrohttpd has received a response since its last run. libmicrohttpd sends the response in the next
    /// run. In the run after that, libmicrohttpd finishes the request or continues with its response. No event on the
    /// loop causes that run.
    private var hasAnswer = false
    /// Whether libmicrohttpd had received a response before the last run, which then sent the response.
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
    mutating func answerProvided() { hasAnswer = true }

    /// Starts a run of libmicrohttpd.
    mutating func begins() {
        hasWorked = false
        unsettled = nil
        hasSentAnswer = hasAnswer
        hasAnswer = false
    }

    /// Records a callback from libmicrohttpd that had an effect on a connection.
    mutating func works(_ connection: ObjectIdentifier) {
        if unsettled != nil, unsettled != connection { hasWorked = true }
        unsettled = connection
    }

    /// Ends the run and returns the time of the next run.
    ///
    /// - Parameters:
    ///   - wantsMore: Whether libmicrohttpd requests another run.
    ///   - isRequested: Whether another part of the server requests a run.
    mutating func ended(wantsMore: Bool, isRequested: Bool) -> Next {
        idleRuns = wantsMore && !hasWorked && !hasSentAnswer && unsettled == nil ? idleRuns + 1 : 0
        if isRequested || wantsMore && idleRuns < (waitingConnections > 0 ? 1 : Self.mostIdleRuns) { return .atOnce }
        return wantsMore ? .later : .onEvent
    }
}
