/// How a connection waits for the answer of a request that is whole: at first without being suspended.
///
/// Suspending and resuming cost three system calls and a walk over all suspended connections; libmicrohttpd calls a connection
/// that is not suspended in each of its runs, which costs nothing when it runs for others anyway. Most answers come within
/// a few runs. With 8 calls in vain a small GET makes 5.1 system calls (64 connections in step; nginx: 5.0).
struct AnswerWait: Equatable {
    /// What a call in vain leads to.
    enum Step: Equatable {
        /// The first one: the server counts one more connection that waits.
        case begins
        case goesOn
        /// Long enough: the connection is suspended.
        case ends
    }

    private static let mostCalls = 8

    private var vainCalls = 0

    /// Whether libmicrohttpd calls for an answer that is not there yet.
    var isOn: Bool { vainCalls > 0 }

    /// libmicrohttpd has asked for the answer in vain.
    mutating func askedInVain() -> Step {
        vainCalls += 1
        if vainCalls > Self.mostCalls { return .ends }
        return vainCalls == 1 ? .begins : .goesOn
    }

    /// The answer is there, or nobody can get it any more; whether it was waited for.
    mutating func end() -> Bool {
        guard isOn else { return false }
        vainCalls = 0
        return true
    }
}

/// How the pieces of a body that streams become fewer before they go on.
///
/// libmicrohttpd brings half of its pool in each of its runs, 10 KB. To send every one of them on by itself costs a system call that
/// wakes the instance each time. So the follower is told of pieces when a run has brought no other one, when no run follows at
/// once, or when enough are there: nothing waits for the client. A body of 64 MiB takes 660 µs a MiB instead of 850.
struct BodyGathering: Equatable {
    /// What is done about a piece.
    enum Step: Equatable {
        /// It is the first one that waits for others.
        case begins
        case goesOn
        /// The follower is told at once.
        case tell
    }

    /// Pieces that are together this long are told of at once, in bytes: below ``ServerLimits/highWater``.
    static let enough = 192 * 1024
    /// Runs for which a piece waits at most: a few more than full pieces need. Where other connections keep libmicrohttpd running, a
    /// client that sends a few bytes each time would else be heard very late.
    private static let mostRuns = 24

    /// The run that has brought the last piece; nil where nothing is gathered.
    private var lastRun: UInt64?
    private var runs = 0

    /// A piece has come, and `waiting` bytes wait with it.
    mutating func pieceCame(in run: UInt64, waiting: Int) -> Step {
        if waiting >= Self.enough {
            runs = 0
            return .tell
        }
        defer { lastRun = run }
        return lastRun == nil ? .begins : .goesOn
    }

    /// A run has ended, and `goesOn` at once with another one; whether the follower is told now.
    mutating func ended(_ run: UInt64, goesOn: Bool) -> Bool {
        runs += 1
        if goesOn, lastRun == run, runs < Self.mostRuns { return false }
        lastRun = nil
        runs = 0
        return true
    }
}

/// Whether libmicrohttpd has stopped reading a chunked body.
///
/// It keeps the line with a chunk's size and extensions in its memory until that is complete. Where one fills this memory, 0.9.75 reads
/// nothing any more and wants to run at once for ever; 1.0.1 refuses the request twice, gives it up over that without an answer,
/// and closes the connection only when it is run for another reason: it is run at each look. In each of its runs it reads from every connection that it
/// has room for, so bytes that wait in the kernel before and after one are bytes that it will not read.
struct ReadingStall: Equatable {
    /// The time between two looks.
    static let interval = Duration.milliseconds(50)
    /// Looks in vain after which a line is too long although nothing waits behind it: it fills the memory exactly.
    private static let mostVainLooks = 20

    /// What had been read from the socket at the last look.
    private var bytesRead: UInt64?
    private var wasInputWaiting = false
    private var vainLooks = 0
    /// Whether a piece of the body has come at all.
    private(set) var hasPiece = false

    /// A piece of the body has come.
    mutating func progressed() {
        self = ReadingStall()
        hasPiece = true
    }

    /// Looks between two runs; returns whether the connection is blocked. `bytesRead`: from the socket, as the kernel counts them.
    /// `mayBeFull`: whether what was read may fill the memory.
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

/// When libmicrohttpd is run again, which asks for it by a time-out of zero.
///
/// It does so for each connection that waits for its answer (``AnswerWait``), always: only what the loop hears of can end that,
/// so a run in which connections have only begun to wait is not followed by another (one system call for each request that comes
/// on its own). And 0.9.75 does so for ever where a line of a chunked body does not fit its buffer: after 16 runs without any
/// effect, more than any request needs, it is run every 5 ms, until ``ReadingStall`` ends that connection.
struct RunPacing: Equatable {
    /// When the next run is due.
    enum Next: Equatable {
        case atOnce
        /// After ``interval``.
        case later
        /// When the loop hears of something.
        case onEvent
    }

    static let interval = Duration.milliseconds(5)
    private static let mostIdleRuns = 16

    /// Connections of which libmicrohttpd asks for an answer that is not there yet.
    private(set) var waitingConnections = 0
    /// The connection that libmicrohttpd has called back for last, unless it waits for its answer now. All calls of one run for
    /// one connection come in a row.
    private var unsettled: ObjectIdentifier?
    private var hasWorked = false
    /// Whether libmicrohttpd was given an answer since its last run: it sends that in the next one, and is done with it, or goes on,
    /// in the one behind that, which nobody hears of.
    private var hasAnswer = false
    /// Whether the last run has sent such an answer.
    private var hasSentAnswer = false
    private var idleRuns = 0

    /// A connection begins to wait for its answer.
    mutating func waitBegins(_ connection: ObjectIdentifier) {
        waitingConnections += 1
        if unsettled == connection { unsettled = nil }
    }

    /// A connection waits no longer.
    mutating func waitEnds() { waitingConnections -= 1 }

    /// libmicrohttpd was given an answer outside of its runs.
    mutating func answerGiven() { hasAnswer = true }

    /// A run begins.
    mutating func begins() {
        hasWorked = false
        unsettled = nil
        hasSentAnswer = hasAnswer
        hasAnswer = false
    }

    /// libmicrohttpd has called back for a connection, to some effect.
    mutating func works(_ connection: ObjectIdentifier) {
        if unsettled != nil, unsettled != connection { hasWorked = true }
        unsettled = connection
    }

    /// The run has ended; `wantsMore` is what libmicrohttpd says, `isRequested` what others have asked for.
    mutating func ended(wantsMore: Bool, isRequested: Bool) -> Next {
        idleRuns = wantsMore && !hasWorked && !hasSentAnswer && unsettled == nil ? idleRuns + 1 : 0
        if isRequested || wantsMore && idleRuns < (waitingConnections > 0 ? 1 : Self.mostIdleRuns) { return .atOnce }
        return wantsMore ? .later : .onEvent
    }
}
