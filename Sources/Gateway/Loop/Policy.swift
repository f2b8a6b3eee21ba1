package import Access
package import Addresses

/// What the configuration says about requests and may change while the gateway runs: the loops get a new one as a whole,
/// and requests that begin from then on follow it.
package struct Policy: Sendable {
    /// The keys that open the gateway.
    package var keys: KeyTable
    /// How often an address may try wrong keys (`--failed-tries`, `--failed-try-interval`).
    package var failedTries: FailureLimiter.Rate
    /// The reverse proxies whose word about their clients is believed (`--trust-proxy`).
    package var trustedProxies: AddressRanges
    /// The web pages that may read answers (`--allow-origin`).
    package var origins: AllowedOrigins
    /// Whether a request may name only its project's folder as a directory (`--directory-pinning`).
    package var pinsDirectories: Bool
    /// Deadlines and sizes. Those that shape libmicrohttpd's daemon stay as they were at the start:
    /// ``ServerLimits/maximumHead`` and ``ServerLimits/maximumConnections``.
    package var limits: GatewayLimits
    /// Whether each request gets a log line.
    package var accessLog: Bool

    /// A policy with these parts.
    package init(
        keys: KeyTable, failedTries: FailureLimiter.Rate, trustedProxies: AddressRanges, origins: AllowedOrigins,
        pinsDirectories: Bool = true, limits: GatewayLimits, accessLog: Bool
    ) {
        self.keys = keys
        self.failedTries = failedTries
        self.trustedProxies = trustedProxies
        self.origins = origins
        self.pinsDirectories = pinsDirectories
        self.limits = limits
        self.accessLog = accessLog
    }
}
