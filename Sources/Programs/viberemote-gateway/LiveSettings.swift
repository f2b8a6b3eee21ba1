// SPDX-License-Identifier: Apache-2.0

import Access
import GatewayCore
import GatewayServer
import Settings

/// The current settings, with their sources for a reload.
struct LiveSettings {
    private var configuration: Configuration
    private let sources: SettingSources
    private let descriptors: Int

    /// Creates the settings.
    ///
    /// - Parameter descriptors: The limit on open descriptors.
    init(_ configuration: Configuration, _ sources: SettingSources, descriptors: Int) {
        self.configuration = configuration
        self.sources = sources
        self.descriptors = descriptors
    }

    /// The current policy for requests.
    var policy: Policy { Policy(configuration, descriptors: descriptors) }

    /// The limits of named keys that have no limits of their own.
    var keyLimits: KeyLimits { KeyLimits(configuration) }

    /// The time for which the audit log keeps an entry.
    var auditKeep: Duration { configuration.access.auditKeep }

    /// The time for which running exchanges may continue after SIGTERM.
    var drainTimeout: Duration { configuration.limits.drainTimeout }

    /// Reloads all sources. If there is an error, throws the error and changes nothing.
    mutating func reload() throws(SettingError) -> ConfigurationChange {
        let change = ConfigurationChange(from: configuration, to: try sources.configuration(.system))
        configuration = change.configuration
        return change
    }
}
