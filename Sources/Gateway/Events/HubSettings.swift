package import EventHub
package import Projects
package import Settings

/// What the hub goes by.
package struct HubSettings: Sendable {
    /// The folder in which logs are kept; nil: in memory only.
    package var folder: String?
    /// Why the folder must not be touched, a sentence; nil: it is this gateway's.
    package var obstacle: String?
    /// Calls what it is given, on any thread, once the folder may be touched after all.
    package var onceFree: @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }
    /// What is kept of one project.
    package var limits: LogLimits
    /// What is kept altogether, in bytes (`--event-keep-total`).
    package var total: Int
    /// The form that a project's environment file names for its streams; nil: what holds for all (``Policy/eventForm``).
    package var form: @Sendable (ProjectName) -> EventEncoding? = { _ in nil }
}

extension HubSettings {
    /// What the settings say; `folder`: nil for memory only.
    package init(_ configuration: Configuration, folder: String?) {
        self.init(
            folder: folder,
            limits: LogLimits(bytes: configuration.events.keepSize, time: configuration.events.keepTime),
            total: configuration.events.keepTotal)
    }
}
