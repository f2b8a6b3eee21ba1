/// An entry of the journal (systemd.journal-fields(7)).
package struct JournalEntry: Sendable, Equatable {
    /// Its text as it was written: any bytes, several lines too.
    package let message: [UInt8]
    /// 0 (emergency) to 7 (debug); nil where it has none.
    package let priority: UInt8?
    /// The process that wrote it, as the kernel told journald; nil where it is unknown.
    package let process: Int32?
    /// When journald took it, microseconds since 1970.
    package let realtime: UInt64

    /// An entry.
    package init(message: [UInt8], priority: UInt8?, process: Int32?, realtime: UInt64) {
        self.message = message
        self.priority = priority
        self.process = process
        self.realtime = realtime
    }

    /// Its text, invalid UTF-8 repaired.
    package var text: String { String(decoding: message, as: UTF8.self) }
}

/// One run of one unit: whose entries to read.
///
/// Both fields are journald's own (they begin with an underscore): what a process says of itself is not believed.
package struct JournalSubject: Sendable, Hashable {
    /// Whose manager runs the unit.
    package let scope: ManagerScope
    /// The unit's name.
    package let unit: String
    /// The run, 32 hexadecimal digits.
    package let invocation: String

    /// The entries of this run.
    package init(scope: ManagerScope, unit: String, invocation: String) {
        self.scope = scope
        self.unit = unit
        self.invocation = invocation
    }

    /// What an entry has to have, all of it.
    var matches: [String] {
        let unitField = scope == .user ? "_SYSTEMD_USER_UNIT" : "_SYSTEMD_UNIT"
        return ["\(unitField)=\(unit)", "_SYSTEMD_INVOCATION_ID=\(invocation)"]
    }
}
