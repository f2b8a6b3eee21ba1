// SPDX-License-Identifier: Apache-2.0

/// The version of the gateway, which is defined only here.
package enum GatewayVersion {
    /// The name of the program, as it is installed.
    package static let program = "viberemote-gateway"
    /// The version number, as defined by semver.org.
    package static let number = "0.1.0"
    /// The line that `--version` prints.
    package static let line = "\(program) \(number)"
}
