internal import FoundationEssentials

/// What one OpenCode instance wants to see before it answers (HTTP Basic, RFC 7617). Never printed: its description
/// is masked.
package struct InstanceCredentials: Sendable, Equatable {
    /// OpenCode's default user.
    package static let defaultUsername = "opencode"
    /// `OPENCODE_SERVER_USERNAME`.
    package let username: String
    /// `OPENCODE_SERVER_PASSWORD`.
    package let password: String
    /// The value of the `Authorization` field.
    package let authorizationHeader: String

    /// Credentials with this password, which should be random.
    package init(username: String = defaultUsername, password: String) {
        self.username = username
        self.password = password
        authorizationHeader = "Basic " + Data("\(username):\(password)".utf8).base64EncodedString()
    }
}

extension InstanceCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without the secret.
    package var description: String { "\(username):***" }
    /// Without the secret.
    package var debugDescription: String { description }
    /// Without the secret.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
