/// What an instance is asked about the project that it serves, besides its health.
package enum SetupQuestion: Sendable, CaseIterable {
    /// Its configuration: one that can't be read makes it refuse whatever concerns the project (1.18).
    case configuration
    /// The models that it can use.
    case models
    /// How far OpenCode 1's sessions have come into OpenCode 2's database.
    case migration

    /// Where an instance of this family is asked; nil where it has no answer.
    package func path(for family: APIFamily) -> String? {
        switch (self, family) {
        case (.configuration, .one): "/config"
        case (.configuration, .two): "/api/config"
        case (.models, .one): "/config/providers"
        case (.models, .two): "/api/model"
        case (.migration, .one): nil
        case (.migration, .two): "/api/experimental/migration/v1"
        }
    }
}
