// SPDX-License-Identifier: Apache-2.0

package import OpenCodeFamilies

/// The result of a health check.
package enum HealthFinding: Sendable, Equatable {
    /// The instance is healthy.
    ///
    /// - Parameters:
    ///   - version: OpenCode's version, if reported.
    ///   - enforcesPassword: Whether the instance rejects requests without the password; nil if this was not checked or
    ///     could not be determined.
    ///   - path: The path that responded.
    ///   - processNumber: The number of the process in its own PID namespace, if reported.
    case healthy(
        version: String?, enforcesPassword: Bool? = nil, path: HealthPath? = nil, processNumber: Int32? = nil)
    /// The instance responded but is not healthy. The value is the reason.
    case unhealthy(reason: String)
    /// The instance rejects the gateway's password. The value is the reason.
    case unauthorized(reason: String)
    /// There was no response. The value is the reason.
    case silent(reason: String)
}
