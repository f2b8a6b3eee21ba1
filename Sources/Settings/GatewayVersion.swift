/// The one place that names the version.
package enum GatewayVersion {
    /// The program's name.
    package static let program = "viberemote-gateway"
    /// Semantic version (semver.org).
    package static let number = "0.1.0"
    /// What `--version` prints.
    package static let line = "\(program) \(number)"
}
