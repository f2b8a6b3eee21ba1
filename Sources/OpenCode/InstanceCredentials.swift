internal import TextCoding

/// What one OpenCode instance wants to see before it answers (HTTP Basic, RFC 7617). Never printed: its description
/// is masked.
package struct InstanceCredentials: Sendable, Equatable {
    /// The user of OpenCode 2, and OpenCode 1's default one.
    package static let defaultUsername = "opencode"
    /// `OPENCODE_SERVER_USERNAME`, which only OpenCode 1 reads.
    package let username: String
    /// `OPENCODE_SERVER_PASSWORD` to OpenCode 1, `OPENCODE_PASSWORD` to 2.
    package let password: String
    /// Whether only `OPENCODE_PASSWORD` has it: OpenCode 1 then asks for nothing, while 2 would else make a password of its
    /// own and print it.
    package let isForTwoOnly: Bool
    /// Whether the environment configures another user than ``defaultUsername``, which OpenCode 2 ignores.
    package let configuresOtherUser: Bool

    /// Creates credentials with a password, which should be random.
    package init(
        username: String = defaultUsername, password: String, isForTwoOnly: Bool = false,
        configuresOtherUser: Bool = false
    ) {
        self.configuresOtherUser = configuresOtherUser || username != Self.defaultUsername
        self.username = username
        self.password = password
        self.isForTwoOnly = isForTwoOnly
    }

    /// The value of the `Authorization` field that an instance of this family takes; nil when that asks for nothing.
    package func authorization(for family: APIFamily?) -> String? {
        if isForTwoOnly, family != .two { return nil }
        let username = family == .two ? Self.defaultUsername : username
        return "Basic " + Base64Encoding.encode(Array("\(username):\(password)".utf8))
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
