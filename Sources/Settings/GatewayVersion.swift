/// The only definition of the version.
package enum GatewayVersion {
    /// The program's name.
    package static let program = "viberemote-gateway"
    /// The semantic version (semver.org).
    package static let number = "0.1.0"
    /// The output of `--version`.
    package static let line = "\(program) \(number)"
}
