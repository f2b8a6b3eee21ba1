// SPDX-License-Identifier: Apache-2.0

internal import Instances
internal import Logging
internal import OpenCodeFamilies
internal import Systemd

/// An OpenCode server that runs as a child process. The instance extracts the port, the log lines and the last lines
/// from the server's output, and tracks the server's end.
struct ProcessInstance {
    /// The number of last lines that are kept.
    private static let tailLength = 20

    let run: Run
    let child: ChildProcess
    /// The stored record of the server.
    var record: InstanceRecord
    let logger: Logger
    /// Whether the server was asked to end.
    var isStopRequested = false
    /// Whether the remaining processes must be killed with SIGKILL.
    var isKilling = false
    /// Whether the server's first process has ended.
    private(set) var hasEnded = false
    /// All processes that were found to belong to the server. The set identifies processes that have since lost the
    /// mark and left the group and the session.
    var known: Set<ProcessIdentity> = []
    /// The processes that remain after the end of the first process, and the deadline for their end.
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

    /// The first process; nil if the process's number may no longer identify the sessions and groups of this run.
    var leader: ProcessIdentity? { child.isGatewayChild || !hasEnded ? child.identity : nil }

    /// Processes a chunk of output. Returns the announcement in the output; nil if there is none.
    mutating func process(_ bytes: [UInt8], from output: ChildProcess.Output) -> Announcement? {
        switch output {
        case .standardOutput:
            for line in standardOutput.split(bytes) { keep(line) }
            // Scan only until the address is known. An agent may later print the same text.
            return record.address == nil ? banner.scan(bytes[...]) : nil
        case .standardError:
            for line in standardError.split(bytes) { keep(line) }
            return nil
        }
    }

    /// Records that the server's first process has ended.
    mutating func markEnded() { hasEnded = true }

    /// Handles the end of the output, including last lines without a line feed.
    mutating func finishOutput() {
        for line in [standardOutput.finish(), standardError.finish()].compactMap({ $0 }) { keep(line) }
    }

    private mutating func keep(_ line: String) {
        var line = PasswordLine.masked(line)
        // Mask the password, in case a version of OpenCode prints it.
        if let secret = run.credentials?.password, line.contains(secret) {
            line = line.replacing(secret, with: "***")
        }
        logger.info(line)
        tail.append(line)
        if tail.count > Self.tailLength { tail.removeFirst() }
    }
}
