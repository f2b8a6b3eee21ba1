// SPDX-License-Identifier: Apache-2.0

package import EventHub
import GatewayCore
package import Projects
package import Settings

/// The settings of the event hub.
package struct HubSettings: Sendable {
    /// The folder that contains the logs; nil to keep them in memory only.
    package var folder: String?
    /// The reason why the folder must not be used, as a message; nil if the folder belongs to this gateway.
    package var obstacle: String?
    /// Calls its argument, on any thread, as soon as the folder may be used.
    package var onceFree: @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }
    /// The limits for the stored events of one project.
    package var limits: LogLimits
    /// The maximum total size of all logs in bytes (`--event-keep-total`).
    package var total: Int
    /// Returns the encoding that a project's environment file names for its streams; nil to use the encoding of all
    /// projects (``Policy/eventEncoding``).
    package var encoding: @Sendable (ProjectName) -> EventEncoding? = { _ in nil }
}

extension HubSettings {
    /// Creates the settings from the configuration.
    ///
    /// - Parameter folder: The folder for the logs; nil to keep them in memory only.
    package init(_ configuration: Configuration, folder: String?) {
        self.init(
            folder: folder,
            limits: LogLimits(bytes: configuration.events.keepSize, time: configuration.events.keepTime),
            total: configuration.events.keepTotal)
    }
}
