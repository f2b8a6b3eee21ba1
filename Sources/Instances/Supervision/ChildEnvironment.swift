package import OpenCode

/// What a child finds in its environment.
package enum ChildEnvironment {
    /// The gateway's own environment without what is the gateway's alone, and with the instance's password.
    ///
    /// Left out: the gateway's settings and key (`VIBE_*`), what systemd told the gateway about itself
    /// (`NOTIFY_SOCKET`, `LISTEN_*`, `WATCHDOG_*`, `JOURNAL_STREAM`, `INVOCATION_ID`), and credentials of another
    /// OpenCode server.
    package static func make(
        from own: [String: String], credentials: InstanceCredentials, directory: String
    ) -> [String: String] {
        var environment = own.filter { name, _ in
            !ownPrefixes.contains { name.hasPrefix($0) } && !ownNames.contains(name)
        }
        environment["OPENCODE_SERVER_PASSWORD"] = credentials.password
        environment["PWD"] = directory
        return environment
    }

    private static let ownPrefixes = ["VIBE_", "LISTEN_", "WATCHDOG_"]
    private static let ownNames: Set = [
        "NOTIFY_SOCKET", "JOURNAL_STREAM", "INVOCATION_ID", "OLDPWD", "OPENCODE_SERVER_USERNAME",
    ]
}
