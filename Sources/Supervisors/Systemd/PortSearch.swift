internal import Clocks
internal import Logging
internal import OpenCode
internal import Projects
internal import Systemd

/// Finds the ports of runs: in their output as the journal has it, and when that says nothing for long, among their
/// sockets. Belongs to the supervisor; all of it runs on the control loop.
final class PortSearch: @unchecked Sendable {  // confined to the control loop, as JournalWatch checks
    /// After that long a run should have announced its port.
    private static let patience = Duration.seconds(10)
    /// Where the journal can't be read, there is nothing to be patient about.
    private static let impatience = Duration.milliseconds(500)
    /// After that many searches nobody looks at the journal all the time any more.
    private static let eagerSearches = 3
    private static let longestPause = Duration.seconds(80)
    /// Entries that are read of a run that is found at the beginning before others have their turn.
    private static let adoptionLimit = 20_000

    private struct Search {
        let subject: JournalSubject
        var banner = BannerScanner()
        var timer: EventSource?
    }

    private let loop: SystemEventLoop
    private let logger: Logger
    private let tell: @Sendable (ProjectName, UnitStateMachine.Event) -> Void
    private var journal: JournalWatch?
    private var searches: [String: Search] = [:]
    /// While the first units are taken over: one opening of the journal serves them all.
    private var adoptionReader: JournalReader?
    private var isAdopting = true
    /// Why the journal can't be read, as a sentence.
    private var trouble: String?

    init(
        loop: SystemEventLoop, logger: Logger, tell: @escaping @Sendable (ProjectName, UnitStateMachine.Event) -> Void
    ) {
        self.loop = loop
        self.logger = logger
        self.tell = tell
        journal = JournalWatch(on: loop) { [weak self] in self?.failed($0, $1) }
    }

    /// What is said of a port that was found among the sockets.
    var warning: String {
        "The port was found among the sockets of the unit's processes, because "
            + (trouble
                ?? "its announcement is not in the journal (a rate limit, rotated away, or in files that only the group "
                + "systemd-journal may read).")
    }

    /// Looks for a run's port until it is told or ``stop(_:)`` is called.
    func seek(_ subject: JournalSubject, _ project: ProjectName, _ run: UnitRun) {
        searches[run.id] = Search(subject: subject)
        if isAdopting, run.isFound, let announcement = announcedBefore(subject) {
            return tell(project, Self.event(announcement, run.id))
        }
        do throws(JournalError) {
            try journal?.follow(subject) { [weak self] in self?.read($0, run.id, project) ?? true }
            trouble = nil
        } catch {
            report(error)
        }
        let age = Duration.nanoseconds(WallClock.nanoseconds()) - .microseconds(Int64(clamping: run.started))
        let patience = trouble == nil ? Self.patience : Self.impatience
        arm(run, project, after: run.started == 0 ? patience : max(.zero, patience - age))
    }

    /// The run's port is of no interest any more.
    func stop(_ run: String) {
        guard let search = searches.removeValue(forKey: run) else { return }
        journal?.forget(search.subject)
    }

    /// The units that ran before are all known.
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

    /// Whether enough was read.
    private func read(_ entry: JournalEntry, _ run: String, _ project: ProjectName) -> Bool {
        // An entry is a line without its end.
        guard let announcement = searches[run]?.banner.scan(entry.message[...] + [UInt8(ascii: "\n")]) else {
            return searches[run] == nil
        }
        tell(project, Self.event(announcement, run))
        return true
    }

    private func failed(_ subject: JournalSubject, _ error: JournalError) { report(error) }

    private func report(_ error: JournalError) {
        let sentence = error.description
        guard sentence != trouble else { return }
        trouble = sentence
        logger.error("Ports of instances can't be read from the journal: \(sentence)")
    }

    // MARK: Sockets

    /// Looks at the run's sockets now.
    func searchSockets(_ project: ProjectName, _ unit: UnitName, _ run: UnitRun) {
        tell(
            project,
            .socketsSearched(run: run.id, address: UnitSockets.address(unit: unit.string, mainProcess: run.process)))
    }

    /// Looks at them again, after a pause that grows.
    func searchLater(_ project: ProjectName, _ run: UnitRun, times: Int) {
        if times >= Self.eagerSearches, let search = searches[run.id] { journal?.relax(search.subject) }
        let first = trouble == nil ? Self.patience : Self.impatience
        arm(run, project, after: min(first * (1 << min(times, 8)), Self.longestPause))
    }

    private func arm(_ run: UnitRun, _ project: ProjectName, after delay: Duration) {
        guard searches[run.id] != nil else { return }
        searches[run.id]?.timer = try? loop.timer(after: delay) { [weak self] in
            self?.tell(project, .portOverdue(run: run.id))
        }
    }
}
