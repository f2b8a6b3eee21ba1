// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import Logging
internal import OpenCodeFamilies
internal import Projects
internal import Systemd

/// Finds the ports of runs. First searches the runs' output, which is in the journal. If the output contains no port
/// for a long time, searches the runs' sockets. The supervisor uses the object on the control loop.
final class PortSearch: @unchecked Sendable {  // Confined to the control loop, as JournalWatch checks.
    /// The time after which a run should have announced its port and the search for its sockets begins.
    private static let patience = Duration.seconds(10)
    /// The time after which the search for sockets begins if the journal cannot be read.
    private static let impatience = Duration.milliseconds(500)
    /// The number of searches after which the journal is read less often.
    private static let eagerSearches = 3
    private static let longestPause = Duration.seconds(80)
    /// The maximum number of journal entries that are read at once for a run that is found at start-up.
    private static let adoptionLimit = 20_000

    private struct Search {
        let subject: JournalSubject
        var banner = BannerScanner()
        var timer: EventSource?
    }

    private let loop: SystemEventLoop
    private let logger: Logger
    private let report: @Sendable (ProjectName, UnitStateMachine.Event) -> Void
    private var journal: JournalWatch?
    private var searches: [String: Search] = [:]
    /// The reader that all searches share while running units are taken over. The journal is therefore opened only
    /// once.
    private var adoptionReader: JournalReader?
    private var isAdopting = true
    /// A message with the reason why the journal cannot be read; nil if it can be read.
    private var trouble: String?

    init(
        loop: SystemEventLoop, logger: Logger, report: @escaping @Sendable (ProjectName, UnitStateMachine.Event) -> Void
    ) {
        self.loop = loop
        self.logger = logger
        self.report = report
        journal = JournalWatch(on: loop) { [weak self] in self?.failed($0, $1) }
    }

    /// The warning about a port that was found among the sockets.
    var warning: String {
        "The gateway found the port among the sockets of the unit's processes, because "
            + (trouble
                ?? "the announcement of the port is not in the journal (possible causes: a rate limit, a rotated journal, or "
                + "files that only the group systemd-journal may read).")
    }

    /// Searches for a run's port until the port is found or ``stop(_:)`` is called.
    func seek(_ subject: JournalSubject, of project: ProjectName, in run: UnitRun) {
        searches[run.id] = Search(subject: subject)
        if isAdopting, run.isFound, let announcement = announcedBefore(subject) {
            return report(project, Self.event(announcement, run.id))
        }
        do throws(JournalError) {
            try journal?.follow(subject) { [weak self] in self?.scan($0, in: run.id, of: project) ?? true }
            trouble = nil
        } catch {
            report(error)
        }
        let age = Duration.nanoseconds(WallClock.nanoseconds()) - .microseconds(Int64(clamping: run.started))
        let patience = trouble == nil ? Self.patience : Self.impatience
        arm(run, project, after: run.started == 0 ? patience : max(.zero, patience - age))
    }

    /// Stops the search for the run's port.
    func stop(_ run: String) {
        guard let search = searches.removeValue(forKey: run) else { return }
        journal?.forget(search.subject)
    }

    /// Ends the phase in which running units are taken over. From then on, all running units are known.
    func endOfAdoption() {
        isAdopting = false
        adoptionReader = nil
    }

    // MARK: Journal

    private static func event(_ announcement: Announcement, _ run: String) -> UnitStateMachine.Event {
        announcement.address.map { .portNamed(run: run, address: $0, family: announcement.family) }
            ?? .otherHostNamed(run: run, host: announcement.host)
    }

    private func announcedBefore(_ subject: JournalSubject) -> Announcement? {
        do throws(JournalError) {
            let reader: JournalReader
            if let open = adoptionReader { reader = open } else { reader = try JournalReader() }
            adoptionReader = reader
            try reader.select(subject)
            var banner = BannerScanner()
            for _ in 0..<Self.adoptionLimit {
                guard let entry = try reader.next() else { return nil }
                if let found = banner.scan(entry.message[...] + [UInt8(ascii: "\n")]) { return found }
            }
            return nil
        } catch {
            report(error)
            return nil
        }
    }

    /// Scans an entry. Returns whether the run needs no further entries.
    private func scan(_ entry: JournalEntry, in run: String, of project: ProjectName) -> Bool {
        // An entry is a line without its line feed. Add a line feed for the scanner.
        guard let announcement = searches[run]?.banner.scan(entry.message[...] + [UInt8(ascii: "\n")]) else {
            return searches[run] == nil
        }
        report(project, Self.event(announcement, run))
        return true
    }

    private func failed(_ subject: JournalSubject, _ error: JournalError) { report(error) }

    private func report(_ error: JournalError) {
        let sentence = error.description
        guard sentence != trouble else { return }
        trouble = sentence
        logger.error("cannot read the ports of instances from the journal", LogField("reason", sentence))
    }

    // MARK: Sockets

    /// Searches the run's sockets now.
    func searchSockets(of project: ProjectName, unit: UnitName, in run: UnitRun) {
        report(
            project,
            .socketsSearched(run: run.id, address: UnitSockets.address(unit: unit.string, mainProcess: run.process)))
    }

    /// Searches the run's sockets again after a delay that increases with `times`.
    func searchLater(_ project: ProjectName, _ run: UnitRun, times: Int) {
        if times >= Self.eagerSearches, let search = searches[run.id] { journal?.relax(search.subject) }
        let first = trouble == nil ? Self.patience : Self.impatience
        arm(run, project, after: min(first * (1 << min(times, 8)), Self.longestPause))
    }

    private func arm(_ run: UnitRun, _ project: ProjectName, after delay: Duration) {
        guard searches[run.id] != nil else { return }
        searches[run.id]?.timer = try? loop.timer(after: delay) { [weak self] in
            self?.report(project, .portOverdue(run: run.id))
        }
    }
}
