import Gateway
import Settings

/// The settings in force, and where they are read anew from.
struct LiveSettings {
    private var configuration: Configuration
    private let sources: SettingSources
    private let descriptors: Int

    /// `descriptors` is the limit on open ones.
    init(_ configuration: Configuration, _ sources: SettingSources, descriptors: Int) {
        self.configuration = configuration
        self.sources = sources
        self.descriptors = descriptors
    }

    /// What requests follow.
    var policy: Policy { Policy(configuration, descriptors: descriptors) }

    /// How long running exchanges may go on after SIGTERM.
    var drainTimeout: Duration { configuration.limits.drainTimeout }

    /// Reads everything anew. Throws and changes nothing where something is wrong.
    mutating func reload() throws(SettingError) -> ConfigurationChange {
        let change = ConfigurationChange(from: configuration, to: try sources.configuration(.system))
        configuration = change.configuration
        return change
    }
}
