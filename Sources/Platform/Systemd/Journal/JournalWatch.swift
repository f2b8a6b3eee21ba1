// SPDX-License-Identifier: Apache-2.0

/// Follows the journal entries of runs while the entries are written. Only the loop's thread may use a watch.
///
/// journald notifies its clients with a delay of up to 400 ms, although an entry can be read immediately. If a caller
/// waits for a run, the watch therefore polls that run every few milliseconds. The watch reads other runs when the
/// journal's descriptor becomes readable.
package final class JournalWatch: @unchecked Sendable {  // Confined to the loop's thread.
    /// The polling interval for runs for which a caller waits.
    private static let pace = Duration.milliseconds(5)
    /// The maximum number of entries to read from one run in one step. The limit prevents a run that floods the journal
    /// from delaying the other runs.
    private static let batch = 500

    private final class Subscription {
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
    private var subscriptions: [JournalSubject: Subscription] = [:]
    private var ticker: EventSource?

    /// Creates a watch.
    ///
    /// - Parameter failed: Called for a run that can no longer be followed.
    package init(on loop: SystemEventLoop, failed: @escaping @Sendable (JournalSubject, JournalError) -> Void) {
        self.loop = loop
        self.failed = failed
    }

    /// Passes each entry of a run to `handler`, beginning with the first one, until `handler` returns true. The handler
    /// is never called during this call. If the run is already followed, restarts from its first entry.
    package func follow(
        _ subject: JournalSubject, handler: @escaping @Sendable (JournalEntry) -> Bool
    ) throws(JournalError) {
        loop.checkIsolated()
        let reader = try JournalReader()
        try reader.select(subject)
        // Request the descriptor now, because sd-journal reports added and removed files only after this call.
        let descriptor = try reader.descriptor()
        let subscription = Subscription(reader: reader, handler: handler)
        do throws(SystemdError) {
            subscription.source = try loop.watch(descriptor, .readable) { [weak self] _ in self?.look(subject) }
        } catch {
            throw .failed(error)
        }
        subscriptions[subject] = subscription
        tick(soon: true)
    }

    /// Stops polling a run that no caller waits for any more. The watch then reads the run only when the journal's
    /// descriptor becomes readable.
    package func relax(_ subject: JournalSubject) { subscriptions[subject]?.isAwaited = false }

    /// Stops following a run, if it is followed.
    package func forget(_ subject: JournalSubject) {
        subscriptions[subject]?.source?.cancel()
        subscriptions[subject] = nil
    }

    /// Stops following all runs and polling the journal.
    package func close() {
        for subject in subscriptions.keys { forget(subject) }
        ticker = nil
    }

    private func tick(soon: Bool = false) {
        guard ticker == nil || soon, subscriptions.values.contains(where: \.isAwaited) else { return }
        ticker = try? loop.timer(after: soon ? .zero : Self.pace) { [weak self] in self?.ticked() }
    }

    private func ticked() {
        ticker = nil
        for (subject, subscription) in subscriptions where subscription.isAwaited { look(subject) }
        tick()
    }

    private func look(_ subject: JournalSubject) {
        guard let subscription = subscriptions[subject] else { return }
        do throws(JournalError) {
            try subscription.reader.process()
            for _ in 0..<Self.batch {
                guard let entry = try subscription.reader.next() else { return }
                if subscription.handler(entry) { return forget(subject) }
                // The handler may have stopped following the run, so check whether the subscription still exists.
                guard subscriptions[subject] === subscription else { return }
            }
            // Schedule another read, because the descriptor does not become readable again for the entries that remain.
            loop.later { [weak self] in self?.look(subject) }
        } catch {
            forget(subject)
            failed(subject, error)
        }
    }
}
