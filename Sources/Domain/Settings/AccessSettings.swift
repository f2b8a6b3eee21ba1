// SPDX-License-Identifier: Apache-2.0

package import Addresses

/// The access rules that apply in addition to the keys.
package struct AccessSettings: Sendable, Equatable {
    /// The web origins whose pages may read responses.
    package internal(set) var origins: [WebOrigin] = []
    /// The reverse proxies whose information about their clients is trusted.
    package internal(set) var trustedProxies: [AddressRange] = []
    /// The number of consecutive wrong keys that one address may send; 0 for no limit.
    package internal(set) var failedTries = 0
    /// The time after which an address that has reached `failedTries` may send another key.
    package internal(set) var failedTryInterval = Duration.zero
}

/// The settings for access, with their help texts.
extension Settings {
    static let access: [Setting] = [
        Setting(
            "auth-secret", environment: "VIBE_AUTH_SECRET", syntax: .key, field: \.authSecret,
            default: .unset(description: "none"), group: .access,
            """
            Key that clients send as `Authorization: Bearer KEY`, at least \(KeyPolicy.shortest) bytes long. Set this variable, \
            `--key-file` or both. There is no flag, because every local user can read command lines. Create a key with \
            `openssl rand -hex 32`.
            """
        ).reloaded,
        Setting(
            "key-file", environment: "VIBE_KEY_FILE", syntax: .file, field: \.keyFile,
            default: .unset(description: "none"), group: .access,
            """
            File with one key on each line. Only its owner may have read permission (mode 0600). The gateway accepts each of \
            these keys in addition to `VIBE_AUTH_SECRET`.
            """
        ).reloaded,
        Setting(
            "allow-origin", environment: "VIBE_ALLOW_ORIGIN",
            syntax: .list(of: "ORIGIN", WebOrigin.parse, text: \.description),
            field: \.access.origins, default: .text("none"), group: .access,
            """
            Web origins, separated by commas, whose pages may use the gateway from a browser (CORS), such as \
            `https://app.example.com`. A page still needs the key.
            """
        ).reloaded,
        Setting(
            "trust-proxy", environment: "VIBE_TRUST_PROXY", syntax: .list(of: "CIDR", network, text: \.description),
            field: \.access.trustedProxies, default: .text("none"), group: .access,
            """
            Addresses of reverse proxies, separated by commas, such as `127.0.0.1` or `10.0.0.0/8`. The gateway trusts and \
            forwards `X-Forwarded-For` and similar fields only from these addresses.
            """
        ).reloaded,
        Setting(
            "failed-tries", environment: "VIBE_FAILED_TRIES", syntax: .number(in: 0...1000),
            field: \.access.failedTries,
            default: .text("10"),
            group: .access,
            """
            Number of consecutive wrong keys that a client's address may send before it receives 429. An IPv6 address counts as \
            its /64 network. 0 means no limit.
            """
        ).reloaded,
        Setting(
            "failed-try-interval", environment: "VIBE_FAILED_TRY_INTERVAL",
            syntax: .duration(in: .milliseconds(1)...(.seconds(3600))),
            field: \.access.failedTryInterval, default: .text("6s"), group: .access,
            "Time after which an address that receives 429 may send one more key."
        ).reloaded,
    ]

    @Sendable private static func network(_ text: String) throws(InvalidValue) -> AddressRange {
        do throws(AddressRange.Fault) {
            return try AddressRange(text)
        } catch {
            switch error {
            case .noAddress:
                throw InvalidValue(
                    "is not an IP address", fix: "write, for example, 127.0.0.1, 10.0.0.0/8 or 2001:db8::/32")
            case .noLength:
                throw InvalidValue(
                    "has no valid prefix length after the slash", fix: "write, for example, 10.0.0.0/8 or 2001:db8::/32"
                )
            case .bitsBeyondLength(let range):
                throw InvalidValue("has bits set beyond the prefix length", fix: "write \(range) for that network")
            }
        }
    }
}
