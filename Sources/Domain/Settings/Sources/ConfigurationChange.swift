// SPDX-License-Identifier: Apache-2.0

/// The effect of a configuration that is reloaded while the gateway runs.
package struct ConfigurationChange: Sendable {
    /// The configuration after the reload. It contains the new values of settings that a reload applies, and the old
    /// values of all other settings.
    package let configuration: Configuration
    /// The changed settings that take effect, by their flag or their name in the environment.
    package let applied: [String]
    /// The changed settings that require a restart.
    package let waiting: [String]

    /// Compares the current configuration with the new one.
    package init(from old: Configuration, to new: Configuration) {
        var next = new
        var applied: [String] = []
        var waiting: [String] = []
        for setting in Settings.table {
            if !setting.isSame(in: old, and: new) {
                let name = setting.flag ?? setting.environment
                if setting.isReloaded { applied.append(name) } else { waiting.append(name) }
            }
            if !setting.isReloaded { setting.carry(from: old, into: &next) }
        }
        // The key file may have the same path but other keys, so compare the keys themselves.
        let hasOtherKeys = old.keys != new.keys
        if hasOtherKeys, old.authSecret == new.authSecret, old.keyFile == new.keyFile {
            applied.append("keys")
        }
        configuration = next
        self.applied = applied
        self.waiting = waiting
    }
}
