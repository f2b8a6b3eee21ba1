/// Follows runs' entries as they are written. Only the loop's thread may use it.
///
/// journald tells its readers up to 400 ms late, although an entry can be read at once. So a run that somebody waits for
/// is looked at every few milliseconds; the others when the journal's descriptor says so.
package final class JournalWatch: @unchecked Sendable {  // confined to the loop's thread, which every entry checks
    /// How often a run is looked at that somebody waits for.
    private static let pace = Duration.milliseconds(5)
    /// Entries taken of one run in one go: a run that floods the journal must not hold up the others.
    private static let batch = 500

    private final class Follower {
        let reader: JournalReader
        let handler: @Sendable (JournalEntry) -> Bool
        var isAwaited = true
        var source: EventSource?
        init(reader: JournalReader, handler: @escaping @Sendable (JournalEntry) -> Bool) {
            self.reader = reader
            self.handler = handler
        }
    }

    private let loop: SystemEventLoop
    private let failed: @Sendable (JournalSubject, JournalError) -> Void
    private var followers: [JournalSubject: Follower] = [:]
    private var ticker: EventSource?

    /// `failed` is told of runs that can't be followed any more.
    package init(on loop: SystemEventLoop, failed: @escaping @Sendable (JournalSubject, JournalError) -> Void) {
        self.loop = loop
        self.failed = failed
    }

    /// Hands over each entry of a run from its first one on, until `handler` says that it has seen enough (true). It is
    /// called later, never from within this call. A run that is followed already is followed anew.
    package func follow(
        _ subject: JournalSubject, handler: @escaping @Sendable (JournalEntry) -> Bool
    ) throws(JournalError) {
        loop.checkIsolated()
        let reader = try JournalReader()
        try reader.select(subject)
        // Asked for at once: from then on the reader hears of files that come and go.
        let descriptor = try reader.descriptor()
        let follower = Follower(reader: reader, handler: handler)
        do throws(SystemdError) {
            follower.source = try loop.watch(descriptor, .readable) { [weak self] _ in self?.look(subject) }
        } catch {
            throw .failed(error)
        }
        followers[subject] = follower
        tick(soon: true)
    }

    /// Nobody waits for this run any more: it is only looked at when the journal says so.
    package func relax(_ subject: JournalSubject) { followers[subject]?.isAwaited = false }

    /// Ends the following of a run; nothing if it is not followed.
    package func forget(_ subject: JournalSubject) {
        followers[subject]?.source?.cancel()
        followers[subject] = nil
    }

    /// Ends everything.
    package func close() {
        for subject in followers.keys { forget(subject) }
        ticker = nil
    }

    private func tick(soon: Bool = false) {
        guard ticker == nil || soon, followers.values.contains(where: \.isAwaited) else { return }
        ticker = try? loop.timer(after: soon ? .zero : Self.pace) { [weak self] in self?.ticked() }
    }

    private func ticked() {
        ticker = nil
        for (subject, follower) in followers where follower.isAwaited { look(subject) }
        tick()
    }

    private func look(_ subject: JournalSubject) {
        guard let follower = followers[subject] else { return }
        do throws(JournalError) {
            try follower.reader.process()
            for _ in 0..<Self.batch {
                guard let entry = try follower.reader.next() else { return }
                if follower.handler(entry) { return forget(subject) }
                // The handler may have ended it.
                guard followers[subject] === follower else { return }
            }
            // There may be more, of which the descriptor says nothing again.
            loop.later { [weak self] in self?.look(subject) }
        } catch {
            forget(subject)
            failed(subject, error)
        }
    }
}
