package import Access
package import Addresses
package import EventHub
package import HTTPServer
import HTTPTypes
import Instances

/// All that a request reads on its way: immutable, replaced as a whole, taken once for each request.
///
/// An object, because taking it then costs one reference count.
final class Snapshot: Sendable {
    /// Who may ask, and what requests follow.
    let policy: Policy
    /// Where each project's instance listens.
    let routes: RoutingTable

    init(policy: Policy, routes: RoutingTable) {
        self.policy = policy
        self.routes = routes
    }
}

/// What the configuration says about requests and may change while the gateway runs: the loops get a new one as a whole,
/// and requests that begin from then on follow it.
///
/// An object of its own: a stream follows for its life the one that it began with, and must not keep old routes.
package final class Policy: Sendable {
    /// The keys that open the gateway.
    package let keys: KeyTable
    /// How often an address may try wrong keys (`--failed-tries`, `--failed-try-interval`).
    package let failedTries: FailureLimiter.Rate
    /// The reverse proxies whose word about their clients is believed (`--trust-proxy`).
    package let trustedProxies: AddressRanges
    /// The web pages that may read answers (`--allow-origin`).
    package let origins: AllowedOrigins
    /// Whether a request may name only its project's folder as a directory (`--directory-pinning`).
    package let pinsDirectories: Bool
    /// Whether OpenCode 1's routes are answered in front of an OpenCode 2 (`--opencode1-compat`).
    package let isOpenCode1Compatible: Bool
    /// Deadlines and sizes. Those that shape libmicrohttpd's daemon stay as they were at the start:
    /// ``ServerLimits/maximumHead`` and ``ServerLimits/maximumConnections``.
    package let limits: GatewayLimits
    /// How OpenCode 1's streamed text is told where neither request nor project says (`--event-form`).
    package let eventForm: EventEncoding
    /// Whether each request gets a log line.
    package let accessLog: Bool

    /// A policy with these parts.
    package init(
        keys: KeyTable, failedTries: FailureLimiter.Rate, trustedProxies: AddressRanges, origins: AllowedOrigins,
        pinsDirectories: Bool, isOpenCode1Compatible: Bool, limits: GatewayLimits,
        eventForm: EventEncoding, accessLog: Bool
    ) {
        self.keys = keys
        self.failedTries = failedTries
        self.trustedProxies = trustedProxies
        self.origins = origins
        self.pinsDirectories = pinsDirectories
        self.isOpenCode1Compatible = isOpenCode1Compatible
        self.limits = limits
        self.eventForm = eventForm
        self.accessLog = accessLog
    }

    /// What an answer to this request says of web pages that may read it; nil where there is nothing to say.
    func crossOriginTerms(_ head: RequestHead) -> CrossOriginTerms? {
        // Nothing is copied then.
        origins.isEmpty ? nil : origins.terms(for: head.fields)
    }

    /// Whether what the peer with this address says of its clients is believed; nil for a peer that has none.
    func trusts(_ peer: IPAddress?) -> Bool {
        guard !trustedProxies.isEmpty, let peer else { return false }
        return trustedProxies.contains(peer)
    }
}

/// What the gateway allows on each loop, besides what ``ServerLimits`` says of clients.
package struct GatewayLimits: Sendable {
    /// What the HTTP front allows.
    package var server: ServerLimits
    /// Until the head of an instance's answer, and then without a byte of it (`--answer-timeout`).
    package var answerTimeout: Duration
    /// Without a byte on an event stream or a tunnel (`--stream-timeout`).
    package var streamTimeout: Duration
    /// Bytes that may wait for a client that does not read its event stream (`--stream-backlog`).
    package var streamBacklog: Int

    /// Without a byte taken of an event stream that the hub serves (`--stream-stall`).
    package var streamStall: Duration
    /// For an instance that is about to be ready, by a request for its events (`--start-answer-timeout`).
    package var streamStart: Duration
}
