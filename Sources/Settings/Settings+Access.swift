/// Who may ask.
extension Settings {
    static let access: [Setting] = [
        Setting(
            "allow-origin", "VIBE_ALLOW_ORIGIN", .list(of: "ORIGIN", WebOrigin.parse, text: \.description),
            \.access.origins, default: .text("none"), group: .access,
            """
            Web origins, separated by commas, whose pages may use the gateway from a browser (CORS), such as \
            `https://app.example.com`. They still need the key.
            """)
    ]
}
