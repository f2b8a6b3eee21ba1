// SPDX-License-Identifier: Apache-2.0

/// A request of the command `pair`: the values of the device's key as they were typed. A value that is nil was not given.
package struct PairRequest: Sendable, Equatable {
    /// The name of the device's key; nil to let the device choose it.
    package var name: String?
    /// The names of the projects that the key can open; empty for all projects.
    package var projects: [String] = []
    /// The scope of the key.
    package var allow: String?
    /// The time until the key expires.
    package var expires: String?

    /// Parses the values of the flags.
    init(_ values: [FlagValue]) throws(SettingError) {
        for value in values {
            switch value.flag {
            case "--project": projects.append(value.value)
            case "--name": name = try Self.only(name, value)
            case "--allow": allow = try Self.only(allow, value)
            default: expires = try Self.only(expires, value)
            }
        }
    }

    private static func only(_ earlier: String?, _ value: FlagValue) throws(SettingError) -> String {
        guard earlier == nil else { throw SettingError("\(value.flag) is given twice. Write it once.") }
        return value.value
    }
}
