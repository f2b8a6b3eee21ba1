// SPDX-License-Identifier: Apache-2.0

internal import Instances
internal import Logging
internal import OpenCodeFamilies
internal import Systemd

/// An OpenCode server that runs as a child process. Extracts the port, the log lines and the last lines from its
/// output, and tracks its end.
struct ProcessInstance {
    /// The number of last lines to keep.
    private static let tailLength = 20

    let run: Run
    let child: ChildProcess
    /// The stored record of the server.
    var record: InstanceRecord
    let logger: Logger
    /// Whether the server was asked to end.
    var isStopRequested = false
    /// Whether the remaining processes are killed with SIGKILL.
    var isKilling = false
    /// Whether the server's first process has ended.
    private(set) var hasEnded = false
    /// Every process of the server that was seen. This identifies processes that no longer have the mark, the group and
    /// the session.
    var known: Set<ProcessIdentity> = []
    /// The remaining processes after the end of the first one, and the deadline for them.
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

    /// The first process while its number identifies the sessions and groups of this run.
    var leader: ProcessIdentity? { child.isGatewayChild || !hasEnded ? child.identity : nil }

    /// Processes a chunk of output and returns the announcement in it, if any.
    mutating func process(_ bytes: [UInt8], from output: ChildProcess.Output) -> Announcement? {
        switch output {
        case .standardOutput:
            for line in standardOutput.split(bytes) { keep(line) }
            // Scan only until the address is known. The output of an agent may look the same later.
            return record.address == nil ? banner.scan(bytes[...]) : nil
        case .standardError:
            for line in standardError.split(bytes) { keep(line) }
            return nil
        }
    }

    /// Records that the first process has ended.
    mutating func markEnded() { hasEnded = true }

    /// Handles the end of the output, including lines without a line end.
    mutating func finishOutput() {
        for line in [standardOutput.finish(), standardError.finish()].compactMap({ $0 }) { keep(line) }
    }

    private mutating func keep(_ line: String) {
        var line = PasswordLine.masked(line)
        // Mask the password in case a version of OpenCode ever prints it.
        if let secret = run.credentials?.password, line.contains(secret) {
            line = line.replacing(secret, with: "***")
        }
        logger.info(line)
        tail.append(line)
        if tail.count > Self.tailLength { tail.removeFirst() }
    }
}
