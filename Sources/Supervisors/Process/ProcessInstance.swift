internal import Instances
internal import Logging
internal import OpenCode
internal import Systemd

/// One OpenCode server as a child process: reads its output for the port, the log and the last lines, and knows how far
/// its end has come.
struct ProcessInstance {
    /// How many of the last lines are kept.
    private static let tailLength = 20

    let run: Run
    let child: ChildProcess
    /// What is written down of it.
    var record: InstanceRecord
    let logger: Logger
    /// Whether it was asked to end.
    var isAsked = false
    /// Whether what is left of it is ended by SIGKILL.
    var isKilling = false
    /// Whether its first process has ended.
    private(set) var hasEnded = false
    /// Every process of it that was seen: one that has shed the mark, the group and the session is still known.
    var known: Set<ProcessIdentity> = []
    /// What outlives the first process and is waited for, with the deadline for it.
    var remainder: [ProcessHandle] = []
    var deadline: EventSource?
    private var banner = BannerScanner()
    private var standardOutput = OutputLines()
    private var standardError = OutputLines()
    private(set) var tail: [String] = []

    init(run: Run, child: ChildProcess, record: InstanceRecord, logger: Logger) {
        self.run = run
        self.child = child
        self.record = record
        self.logger = logger
    }

    /// The first process, as long as sessions and groups of its number are this run's.
    var leader: ProcessIdentity? { child.isOwnChild || !hasEnded ? child.identity : nil }

    /// Takes a piece of output; returns what it announces.
    mutating func read(_ bytes: [UInt8], from output: ChildProcess.Output) -> Announcement? {
        switch output {
        case .standardOutput:
            for line in standardOutput.split(bytes) { keep(line) }
            // Only before the address is known: what an agent prints later may look the same.
            return record.address == nil ? banner.scan(bytes[...]) : nil
        case .standardError:
            for line in standardError.split(bytes) { keep(line) }
            return nil
        }
    }

    /// The first process has ended.
    mutating func noteEnd() { hasEnded = true }

    /// Nothing more comes: lines that were not ended count.
    mutating func finishOutput() {
        for line in [standardOutput.finish(), standardError.finish()].compactMap({ $0 }) { keep(line) }
    }

    private mutating func keep(_ line: String) {
        var line = PasswordLine.masked(line)
        // Should a version of OpenCode ever print the password that it was given.
        if let secret = run.credentials?.password, line.contains(secret) {
            line = line.replacing(secret, with: "***")
        }
        logger.info(line)
        tail.append(line)
        if tail.count > Self.tailLength { tail.removeFirst() }
    }
}
