internal import OpenCode

/// What is known of which project an instance's folder is to OpenCode, and who waits for it.
struct ProjectQuestion {
    /// An answer of the present run.
    struct Answer {
        let identity: ProjectIdentity
        /// Every folder that OpenCode has opened as that project; nil where it did not answer that.
        let folders: [String]?
        /// Later answers have greater numbers.
        let number: UInt64
        let time: SuspendingClock.Instant
    }

    /// How long an answer is believed while nobody would notice a change.
    static let unwatched = Duration.seconds(10)
    /// How long an instance that has not answered is not asked again.
    private static let retry = Duration.seconds(10)

    /// The answer of the present run; nil: to be asked.
    var answer: Answer?
    /// The last answer of any run: which project a folder is outlives its server.
    private(set) var lastIdentity: ProjectIdentity?
    private(set) var lastFolders: [String] = []
    /// Who waits for the present question; nil: nothing is asked.
    var waiting: [CheckedContinuation<Answer?, Never>]?
    /// When the last question of this run has failed, and how long it was waited for.
    private var failure: (time: SuspendingClock.Instant, timeout: Duration)?

    /// Whether a question of this run that had so much time, or more, has failed a moment ago.
    func hasJustFailed(within timeout: Duration, now: SuspendingClock.Instant = .now) -> Bool {
        failure.map { $0.timeout >= timeout && $0.time.duration(to: now) < Self.retry } ?? false
    }

    /// Whether the answer is not too old for who would not notice a change.
    func isFresh(now: SuspendingClock.Instant = .now) -> Bool {
        answer.map { $0.time.duration(to: now) < Self.unwatched } ?? false
    }

    /// Another run: nothing is known of it, and it may be asked.
    mutating func runBegins() {
        answer = nil
        failure = nil
    }

    /// The instance has answered, or has not within that time.
    mutating func take(_ new: Answer?, within timeout: Duration, now: SuspendingClock.Instant = .now) {
        answer = new
        failure = new == nil ? (now, timeout) : nil
        guard let new else { return }
        lastIdentity = new.identity
        lastFolders = new.folders ?? []
    }
}
