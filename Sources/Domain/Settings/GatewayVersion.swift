// SPDX-License-Identifier: Apache-2.0

/// The only definition of the version.
package enum GatewayVersion {
    /// The name of the program, as it is installed.
    package static let program = "viberemote-gateway"
    /// The semantic version, as defined by semver.org.
    package static let number = "0.1.0"
    /// The line that `--version` prints.
    package static let line = "\(program) \(number)"
}
