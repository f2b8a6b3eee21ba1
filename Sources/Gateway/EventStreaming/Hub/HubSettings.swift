// SPDX-License-Identifier: Apache-2.0

package import EventHub
import GatewayCore
package import Projects
package import Settings

/// The settings of the event hub.
package struct HubSettings: Sendable {
    /// The folder that contains the logs; nil: the logs are in memory only.
    package var folder: String?
    /// The reason why the folder must not be used, as a sentence; nil: the folder belongs to this gateway.
    package var obstacle: String?
    /// Calls its argument, on any thread, once the folder may be used after all.
    package var onceFree: @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }
    /// The limits on the kept events of one project.
    package var limits: LogLimits
    /// The size limit on all logs together, in bytes (`--event-keep-total`).
    package var total: Int
    /// The encoding that a project's environment file names for its streams; nil: that of all projects
    /// (``Policy/eventForm``).
    package var form: @Sendable (ProjectName) -> EventEncoding? = { _ in nil }
}

extension HubSettings {
    /// Creates the settings from the configuration. If `folder` is nil, the logs are in memory only.
    package init(_ configuration: Configuration, folder: String?) {
        self.init(
            folder: folder,
            limits: LogLimits(bytes: configuration.events.keepSize, time: configuration.events.keepTime),
            total: configuration.events.keepTotal)
    }
}
