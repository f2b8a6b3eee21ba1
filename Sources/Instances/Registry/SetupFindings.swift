internal import OpenCode
internal import Systemd

/// What is known of how a run is set up, besides its health.
struct SetupFindings {
    /// Whether its configuration was asked for: once in a run.
    var isConfigurationAsked = false
    /// Why that can't be used, as a sentence.
    var configurationTrouble: String?
    /// Whether it had no model when it was last asked.
    var hasNoModels = false
    /// How far it has taken over older sessions; nil before it was asked.
    var migration: MigrationAnswer?
    /// Questions that are under way.
    var asking: Set<SetupQuestion> = []
    /// Until the models are asked for.
    var modelsDelay: EventSource?

    /// What `status` says.
    var warnings: [String] {
        [configurationTrouble, hasNoModels ? InstanceMessage.noModels : nil, migration?.warning].compactMap { $0 }
    }
}
