internal import FoundationEssentials

/// What one OpenCode instance wants to see before it answers (HTTP Basic, RFC 7617). Never printed: its description
/// is masked.
package struct InstanceCredentials: Sendable, Equatable {
    /// OpenCode's default, `OPENCODE_SERVER_USERNAME`.
    package static let username = "opencode"
    /// `OPENCODE_SERVER_PASSWORD`.
    package let password: String
    /// The value of the `Authorization` field.
    package let authorizationHeader: String

    /// Credentials with this password, which should be random.
    package init(password: String) {
        self.password = password
        authorizationHeader = "Basic " + Data("\(Self.username):\(password)".utf8).base64EncodedString()
    }
}

extension InstanceCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without the secret.
    package var description: String { "\(Self.username):***" }
    /// Without the secret.
    package var debugDescription: String { description }
    /// Without the secret.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
