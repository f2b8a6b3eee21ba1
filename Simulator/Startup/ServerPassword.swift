// SPDX-License-Identifier: Apache-2.0

/// The password of a server's only user.
struct ServerPassword: Equatable {
    let user: String
    let text: String
    /// Whether the server generated the password because none was set.
    let isMade: Bool

    /// Reads the password from a version's environment variables; nil if the server requires no password.
    init?(_ start: Profile.Start, _ environment: (String) -> String?) {
        user = start.userVariable.flatMap(environment) ?? "opencode"
        if let text = start.passwordVariables.lazy.compactMap(environment).first(where: { !$0.isEmpty }) {
            self.text = text
            isMade = false
        } else if start.makesPassword {
            // Generate 32 bytes in base64url, which is the length of the recorded passwords.
            let bytes = (0..<32).map { _ in UInt8.random(in: 0...255) }
            text = Base64.encode(bytes, padding: false).replacing("+", with: "-").replacing("/", with: "_")
            isMade = true
        } else {
            return nil
        }
    }
}
