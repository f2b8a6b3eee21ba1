// SPDX-License-Identifier: Apache-2.0

import GatewayCore
import GatewayServer
import Settings

/// The settings in force, and the sources for a reload.
struct LiveSettings {
    private var configuration: Configuration
    private let sources: SettingSources
    private let descriptors: Int

    /// Creates settings; `descriptors` is the limit on open ones.
    init(_ configuration: Configuration, _ sources: SettingSources, descriptors: Int) {
        self.configuration = configuration
        self.sources = sources
        self.descriptors = descriptors
    }

    /// The policy that requests are subject to.
    var policy: Policy { Policy(configuration, descriptors: descriptors) }

    /// The time that running exchanges may continue after SIGTERM.
    var drainTimeout: Duration { configuration.limits.drainTimeout }

    /// Reloads all sources. Throws and changes nothing where there is an error.
    mutating func reload() throws(SettingError) -> ConfigurationChange {
        let change = ConfigurationChange(from: configuration, to: try sources.configuration(.system))
        configuration = change.configuration
        return change
    }
}
