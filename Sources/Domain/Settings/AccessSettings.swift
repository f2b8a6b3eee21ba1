// SPDX-License-Identifier: Apache-2.0

package import Access
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
    /// The name of the field in which a trusted proxy names the user; nil if no proxy does.
    package internal(set) var identityHeader: String?
    /// The rate of requests of a named key that has no rate of its own; nil for no limit.
    package internal(set) var keyRate: KeyRate?
    /// The number of open streams of a named key that has no limit of its own; nil for no limit.
    package internal(set) var keyStreams: Int?
    /// The time for which the audit log keeps an entry.
    package internal(set) var auditKeep = Duration.zero
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
        Setting(
            "identity-header", environment: "VIBE_IDENTITY_HEADER", syntax: fieldName,
            field: \.access.identityHeader, default: .text("none"), group: .access,
            """
            Field in which a reverse proxy names the signed-in user, such as `X-Auth-Request-Email`. Its value selects the \
            named key with this identity. The gateway reads the field only from `--trust-proxy` addresses, and never forwards it. \
            `none`: no field.
            """
        ).reloaded,
        Setting(
            "key-rate", environment: "VIBE_KEY_RATE", syntax: rate, field: \.access.keyRate, default: .text("100/s"),
            group: .access,
            """
            Rate of requests of each named key that has no rate of its own, such as `20/s`, `300/min` or `1000/h`. The key may \
            send this number of requests at once. `none` means no limit. The keys of `VIBE_AUTH_SECRET` and `--key-file` have \
            no limit.
            """
        ).reloaded,
        Setting(
            "key-streams", environment: "VIBE_KEY_STREAMS", syntax: streams, field: \.access.keyStreams,
            default: .text("50"), group: .access,
            """
            Number of event streams and answers of conversations that each named key may have open, if it has no limit of its \
            own. `none` means no limit.
            """
        ).reloaded,
        Setting(
            "audit-keep", environment: "VIBE_AUDIT_KEEP",
            syntax: .duration(in: .seconds(60)...(.seconds(3_650 * 86_400))), field: \.access.auditKeep,
            default: .text("90d"), group: .access,
            """
            Time for which the audit log (`audit.db` in the state directory) keeps an entry. The gateway removes the oldest \
            entries earlier if the audit log would exceed 256 MiB.
            """
        ).reloaded,
    ]

    /// Fields that have another meaning, so that their values cannot be identities.
    private static let otherFields: Set<String> = [
        "authorization", "connection", "content-length", "content-type", "cookie", "host", "origin",
        "transfer-encoding",
        "upgrade", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
    ]

    private static let fieldName = ValueSyntax<String?>(
        placeholder: "NAME|none",
        parse: { (text) throws(InvalidValue) in
            if text == "none" { return nil }
            let fix = "write the name of the field that the proxy sets, for example X-Auth-Request-Email, or none"
            // A token (RFC 9110 §5.6.2).
            let isToken = text.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
            }
            guard !text.isEmpty, isToken else { throw InvalidValue("is not the name of a field", fix: fix) }
            guard !otherFields.contains(text.lowercased()) else {
                throw InvalidValue("is a field with another meaning", fix: fix)
            }
            return text
        }, text: { $0 ?? "none" })

    private static let rate = ValueSyntax<KeyRate?>(
        placeholder: "RATE|none",
        parse: { (text) throws(InvalidValue) in
            if text == "none" { return nil }
            guard let rate = KeyRate(text) else {
                throw InvalidValue("is not a rate", fix: "write, for example, 20/s, 300/min, 1000/h or none")
            }
            return rate
        }, text: { $0?.description ?? "none" })

    private static let streams = ValueSyntax<Int?>(
        placeholder: "N|none",
        parse: { (text) throws(InvalidValue) in
            if text == "none" { return nil }
            let range = KeyLimits.streamRange
            guard let count = Int(text), range.contains(count) else {
                throw InvalidValue(
                    "is not a number of streams",
                    fix: "write a number from \(range.lowerBound) to \(range.upperBound), or none")
            }
            return count
        }, text: { $0.map { "\($0)" } ?? "none" })

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
