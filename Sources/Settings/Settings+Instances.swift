/// What instances run with.
extension Settings {
    static let instances: [Setting] = [
        Setting(
            "instance-password", "VIBE_INSTANCE_PASSWORD", .onOff, \.instances.givesPasswords, default: .text("on"),
            group: .instances,
            """
            Whether each OpenCode instance gets a random password of its own for each run, so that other users of the \
            machine can't use it. `off`: only what `OPENCODE_SERVER_PASSWORD` in the environment files says.
            """)
    ]
}
