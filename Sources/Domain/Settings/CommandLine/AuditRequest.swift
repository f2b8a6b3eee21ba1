// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// A request of the command `audit`.
package struct AuditRequest: Sendable, Equatable {
    /// The name or the id of a key; nil for all keys.
    package private(set) var key: String?
    /// The name of a project; nil for all projects.
    package private(set) var project: String?
    /// The time before now of the oldest entry, as it was typed; nil for the newest entries.
    package private(set) var since: String?

    /// Parses the values of the command's flags.
    init(_ values: [FlagValue]) throws(SettingError) {
        for value in values {
            switch value.flag {
            case "--key": try Self.set(&key, value)
            case "--project": try Self.set(&project, value)
            default: try Self.set(&since, value)
            }
        }
        guard let since else { return }
        guard since.last?.isNumber == false, QuantityUnit.duration(since) != nil else {
            throw SettingError(
                "--since \(SettingError.quoted(since)) is not a time: write a whole number with one of the units s, min, h and "
                    + "d, such as 12h or 1d.")
        }
    }

    private static func set(_ current: inout String?, _ value: FlagValue) throws(SettingError) {
        guard current == nil else { throw SettingError("\(value.flag) is given twice. Write it once.") }
        guard !value.value.isEmpty else {
            throw SettingError("\(value.flag) is empty. Write a value, or omit the flag.")
        }
        current = value.value
    }
}
