import Addresses

/// Who may ask.
extension Settings {
    static let access: [Setting] = [
        Setting(
            "allow-origin", "VIBE_ALLOW_ORIGIN", .list(of: "ORIGIN", WebOrigin.parse, text: \.description),
            \.access.origins, default: .text("none"), group: .access,
            """
            Web origins, separated by commas, whose pages may use the gateway from a browser (CORS), such as \
            `https://app.example.com`. They still need the key.
            """),
        Setting(
            "trust-proxy", "VIBE_TRUST_PROXY", .list(of: "CIDR", network, text: \.description),
            \.access.trustedProxies, default: .text("none"), group: .access,
            """
            Addresses of reverse proxies, separated by commas, such as `127.0.0.1` or `10.0.0.0/8`: only from these \
            `X-Forwarded-For` and its like are believed and passed on.
            """),
        Setting(
            "failed-tries", "VIBE_FAILED_TRIES", .number(in: 0...1000), \.access.failedTries, default: .text("10"),
            group: .access,
            """
            Wrong keys in a row that a client's address may send before it gets 429. An IPv6 address counts as its /64 \
            network. 0 allows any number.
            """),
        Setting(
            "failed-try-interval", "VIBE_FAILED_TRY_INTERVAL", .duration(in: .milliseconds(1)...(.seconds(3600))),
            \.access.failedTryInterval, default: .text("6s"), group: .access,
            "Time after which such an address may send one more."),
    ]

    @Sendable private static func network(_ text: String) throws(InvalidValue) -> AddressRange {
        do throws(AddressRange.Fault) {
            return try AddressRange(text)
        } catch {
            switch error {
            case .noAddress:
                throw InvalidValue(
                    "is no numeric address", fix: "write for example 127.0.0.1, 10.0.0.0/8 or 2001:db8::/32")
            case .noLength:
                throw InvalidValue(
                    "has no number of bits behind its slash", fix: "write for example 10.0.0.0/8 or 2001:db8::/32")
            case .bitsBeyondLength(let range):
                throw InvalidValue("has bits beyond its length", fix: "write \(range) for that network")
            }
        }
    }
}
