// SPDX-License-Identifier: Apache-2.0

/// The effect of a configuration that is reloaded while the gateway runs.
package struct ConfigurationChange: Sendable {
    /// The configuration after the reload. Settings that a reload applies have their new values. All other settings
    /// keep their old values.
    package let configuration: Configuration
    /// The flags or environment names of the changed settings that take effect.
    package let applied: [String]
    /// The flags or environment names of the changed settings that require a restart.
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
        // The keys in the file can change while its path stays the same, so compare the keys themselves.
        let hasOtherKeys = old.keys != new.keys
        if hasOtherKeys, old.authSecret == new.authSecret, old.keyFile == new.keyFile {
            applied.append("keys")
        }
        configuration = next
        self.applied = applied
        self.waiting = waiting
    }
}
