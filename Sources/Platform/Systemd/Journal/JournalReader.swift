// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// Reads the journal entries of one run at a time (sd-journal(3)). The caller reads either all entries, beginning with
/// the first one, or only the last ones.
///
/// Opening the journal takes a few system calls for each journal file. Only one thread at a time may use a reader.
package final class JournalReader {
    private let journal: OpaquePointer
    /// The cursor of the last entry that was read. Reading resumes after this entry when journal files have been added
    /// or removed.
    private var cursor: String?
    /// Whether the current position is an entry that was not read yet.
    private var isBeforeReading = false

    /// Opens the parts of this machine's journal that this user may read.
    package init() throws(JournalError) {
        var opened: OpaquePointer?
        let result = sd_journal_open(&opened, Int32(SD_JOURNAL_LOCAL_ONLY))
        guard result >= 0, let opened else {
            if result == -EACCES || result == -ENOENT { throw JournalFolders.whyNothingIsReadable() }
            throw Self.failure(result, "sd_journal_open")
        }
        guard sd_journal_has_persistent_files(opened) > 0 || sd_journal_has_runtime_files(opened) > 0 else {
            sd_journal_close(opened)
            throw JournalFolders.whyNothingIsReadable()
        }
        journal = opened
    }

    deinit { sd_journal_close(journal) }

    /// Selects the entries of a run and moves before its first entry.
    package func select(_ subject: JournalSubject) throws(JournalError) {
        sd_journal_flush_matches(journal)
        for match in subject.matches {
            // Matches on different fields must all apply; matches on the same field are alternatives.
            try check(sd_journal_add_match(journal, match, match.utf8.count), "sd_journal_add_match")
        }
        cursor = nil
        isBeforeReading = false
        try check(sd_journal_seek_head(journal), "sd_journal_seek_head")
    }

    /// Returns the next entry; nil if there is none yet.
    package func next() throws(JournalError) -> JournalEntry? {
        if !isBeforeReading {
            guard try check(sd_journal_next(journal), "sd_journal_next") > 0 else { return nil }
        }
        isBeforeReading = false
        var text: UnsafeMutablePointer<CChar>?
        if sd_journal_get_cursor(journal, &text) >= 0, let text {
            cursor = String(cString: text)
            free(text)
        }
        return entry()
    }

    /// Returns at most `count` of the last entries of the selected run, the oldest first.
    package func last(_ count: Int) throws(JournalError) -> [JournalEntry] {
        try check(sd_journal_seek_tail(journal), "sd_journal_seek_tail")
        var entries: [JournalEntry] = []
        while entries.count < count, try check(sd_journal_previous(journal), "sd_journal_previous") > 0 {
            entries.append(entry())
        }
        return entries.reversed()
    }

    // MARK: Following

    /// Returns a descriptor that becomes readable up to 400 ms after the journal has changed. Call ``process()`` when
    /// the descriptor is readable.
    package func descriptor() throws(JournalError) -> Int32 {
        try check(sd_journal_get_fd(journal), "sd_journal_get_fd")
    }

    /// Processes changes to the journal's files. Files can be added or removed, for example by a rotation, a vacuum or
    /// a restart of journald. In that case, reading resumes after the last entry that was read, or at the run's first
    /// entry.
    package func process() throws(JournalError) {
        let happened = try check(sd_journal_process(journal), "sd_journal_process")
        guard happened == Int32(SD_JOURNAL_INVALIDATE) else { return }
        guard let cursor else {
            try check(sd_journal_seek_head(journal), "sd_journal_seek_head")
            return
        }
        try check(sd_journal_seek_cursor(journal, cursor), "sd_journal_seek_cursor")
        // Move to the entry at the cursor. If that entry no longer exists, this call moves to the nearest entry, which
        // has not been read.
        let isThere = try check(sd_journal_next(journal), "sd_journal_next") > 0
        isBeforeReading = isThere && sd_journal_test_cursor(journal, cursor) <= 0
    }

    // MARK: Fields

    private func entry() -> JournalEntry {
        var realtime: UInt64 = 0
        sd_journal_get_realtime_usec(journal, &realtime)
        return JournalEntry(
            message: field("MESSAGE") ?? [],
            priority: field("PRIORITY").flatMap { UInt8(String(decoding: $0, as: UTF8.self)) },
            process: field("_PID").flatMap { Int32(String(decoding: $0, as: UTF8.self)) }, realtime: realtime)
    }

    /// Returns the value of a field; nil if the entry does not have it.
    private func field(_ name: String) -> [UInt8]? {
        var start: UnsafeRawPointer?
        var length = 0
        guard sd_journal_get_data(journal, name, &start, &length) >= 0 else { return nil }
        // Drop the name and the equals sign with which the data begins.
        return Array(UnsafeRawBufferPointer(start: start, count: length).dropFirst(name.utf8.count + 1))
    }

    @discardableResult
    private func check(_ result: Int32, _ operation: String) throws(JournalError) -> Int32 {
        if result < 0 { throw Self.failure(result, operation) }
        return result
    }

    private static func failure(_ result: Int32, _ operation: String) -> JournalError {
        .failed(SystemdError(operation: operation, code: -result, detail: "this machine's journal"))
    }
}
