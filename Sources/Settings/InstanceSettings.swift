/// What instances run with.
package struct InstanceSettings: Sendable, Equatable {
    /// Whether each run of an instance gets a random password.
    package internal(set) var givesPasswords = false
}
