package import Access

/// What the configuration says about requests and may change while the gateway runs: the loops get a new one as a whole,
/// and requests that begin from then on follow it.
package struct Policy: Sendable {
    /// The keys that open the gateway.
    package var keys: KeyTable
    /// The web pages that may read answers (`--allow-origin`).
    package var origins: AllowedOrigins
    /// Deadlines and sizes. Those that shape libmicrohttpd's daemon stay as they were at the start:
    /// ``ServerLimits/maximumHead`` and ``ServerLimits/maximumConnections``.
    package var limits: GatewayLimits
    /// Whether each request gets a log line.
    package var accessLog: Bool

    /// A policy with these parts.
    package init(keys: KeyTable, origins: AllowedOrigins, limits: GatewayLimits, accessLog: Bool) {
        self.keys = keys
        self.origins = origins
        self.limits = limits
        self.accessLog = accessLog
    }
}
