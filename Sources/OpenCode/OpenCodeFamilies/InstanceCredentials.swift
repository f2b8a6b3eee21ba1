// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The credentials that an OpenCode instance requires (HTTP Basic, RFC 7617). The password is masked in every
/// description.
package struct InstanceCredentials: Sendable, Equatable {
    /// The only user name that OpenCode 2 accepts, which is also OpenCode 1's default.
    package static let defaultUsername = "opencode"
    /// The user name from `OPENCODE_SERVER_USERNAME`, which only OpenCode 1 reads.
    package let username: String
    /// The password from `OPENCODE_SERVER_PASSWORD` for OpenCode 1, or `OPENCODE_PASSWORD` for OpenCode 2.
    package let password: String
    /// Whether the password is set only in `OPENCODE_PASSWORD`. OpenCode 1 then requires no credentials, and OpenCode 2
    /// uses the password. Without this variable, OpenCode 2 would generate a password and print it.
    package let isForTwoOnly: Bool
    /// Whether the environment configures a user other than ``defaultUsername``, which OpenCode 2 ignores.
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

    /// Returns the value of the `Authorization` field that an instance of this family accepts; nil if the instance
    /// requires no credentials.
    package func authorization(for family: APIFamily?) -> String? {
        if isForTwoOnly, family != .two { return nil }
        let username = family == .two ? Self.defaultUsername : username
        return "Basic " + Base64Encoding.encode(Array("\(username):\(password)".utf8))
    }
}

extension InstanceCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user name with a masked password.
    package var description: String { "\(username):***" }
    /// The description, without the password.
    package var debugDescription: String { description }
    /// An empty mirror, so that reflection does not reveal the password.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
