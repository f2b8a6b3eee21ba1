// SPDX-License-Identifier: Apache-2.0

/// An entry of the journal (systemd.journal-fields(7)).
package struct JournalEntry: Sendable, Equatable {
    /// The message as it was written, which may contain arbitrary bytes and several lines.
    package let message: [UInt8]
    /// The priority from 0 (emergency) to 7 (debug); nil if the entry has none.
    package let priority: UInt8?
    /// The process that wrote the entry, as the kernel reported it to journald; nil if unknown.
    package let process: Int32?
    /// The time at which journald received the entry, in microseconds since 1970.
    package let realtime: UInt64

    /// Creates an entry with the given values.
    package init(message: [UInt8], priority: UInt8?, process: Int32?, realtime: UInt64) {
        self.message = message
        self.priority = priority
        self.process = process
        self.realtime = realtime
    }

    /// The message as text, with invalid UTF-8 replaced.
    package var text: String { String(decoding: message, as: UTF8.self) }
}

/// A run of one unit, whose entries a reader selects.
///
/// journald itself sets the fields that identify the run. The names of these fields begin with an underscore, so a
/// process cannot forge the fields.
package struct JournalSubject: Sendable, Hashable {
    /// The manager that runs the unit.
    package let scope: ManagerScope
    /// The name of the unit.
    package let unit: String
    /// The invocation ID of the run, 32 hexadecimal digits.
    package let invocation: String

    /// Creates a subject for the given run.
    package init(scope: ManagerScope, unit: String, invocation: String) {
        self.scope = scope
        self.unit = unit
        self.invocation = invocation
    }

    /// The field values that identify the run's entries. An entry must have all of these values.
    var matches: [String] {
        let unitField = scope == .user ? "_SYSTEMD_USER_UNIT" : "_SYSTEMD_UNIT"
        return ["\(unitField)=\(unit)", "_SYSTEMD_INVOCATION_ID=\(invocation)"]
    }
}
