// SPDX-License-Identifier: Apache-2.0

package import EventHub
import GatewayCore
package import Projects

/// The settings of the event hub.
package struct HubSettings: Sendable {
    /// The directory that contains the logs; nil to keep the logs in memory only.
    package var folder: String?
    /// The reason why the directory must not be used, as a message; nil if the directory belongs to this gateway.
    package var obstacle: String?
    /// Calls its argument, on any thread, as soon as the directory may be used.
    package var onceFree: @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }
    /// The limits for the stored events of one project.
    package var limits: LogLimits
    /// The maximum total size of all logs in bytes (`--event-keep-total`).
    package var total: Int
    /// Returns the encoding that a project's environment file names; nil to use
    /// the default encoding (``Policy/eventEncoding``).
    package var encoding: @Sendable (ProjectName) -> EventEncoding? = { _ in nil }

    /// Creates settings without an obstacle.
    ///
    /// - Parameters:
    ///   - folder: The directory for the logs; nil to keep the logs in memory only.
    ///   - limits: The limits for the stored events of one project.
    ///   - total: The maximum total size of all logs in bytes.
    package init(folder: String?, limits: LogLimits, total: Int) {
        self.folder = folder
        self.limits = limits
        self.total = total
    }
}
