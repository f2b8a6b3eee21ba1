// SPDX-License-Identifier: Apache-2.0

package import Access
package import Addresses
package import EventHub
package import EventLoop
package import HTTPServer
package import HTTPTypes
package import Instances

/// The keys, the limits and the routing table that a loop uses to serve requests. A snapshot is immutable, and the loop
/// replaces it as a whole.
///
/// `Snapshot` is a class, so that capturing a snapshot costs only one reference count.
package final class Snapshot: Sendable {
    /// The keys and rules for requests.
    package let policy: Policy
    /// The addresses of the projects' instances.
    package let routes: RoutingTable
    /// The named keys.
    let namedKeys: KeyIndex
    /// All keys with which a request can be admitted.
    package let keys: AcceptedKeys

    init(policy: Policy, routes: RoutingTable, namedKeys: KeyIndex = .empty) {
        self.policy = policy
        self.routes = routes
        self.namedKeys = namedKeys
        keys = AcceptedKeys(secrets: policy.keys, named: namedKeys)
    }
}

/// The part of the configuration that concerns requests and may change while the gateway runs. A new policy replaces
/// the old policy as a whole, and applies to requests that begin afterwards.
///
/// `Policy` is separate from ``Snapshot``, because a stream keeps the policy with which it began, but must
/// not retain old routes.
package final class Policy: Sendable {
    /// The administrators' secrets.
    package let keys: KeyTable
    /// The limits of named keys that have no limits of their own (`--key-rate`, `--key-streams`).
    package let keyLimits: KeyLimits
    /// The name of the field in which a trusted proxy names the user, in lower case (`--identity-header`); nil if no
    /// proxy does.
    package let identityHeader: [UInt8]?
    /// The rate at which an address may try wrong keys (`--failed-tries`, `--failed-try-interval`).
    package let failedTries: FailureLimiter.Rate
    /// The reverse proxies that the gateway trusts to name their clients (`--trust-proxy`).
    package let trustedProxies: AddressRanges
    /// The web origins whose pages may read responses (`--allow-origin`).
    package let origins: AllowedOrigins
    /// Whether a request may name only its project's directories (`--directory-pinning`).
    package let pinsDirectories: Bool
    /// Whether the gateway serves OpenCode 1's API for OpenCode 2 instances (`--opencode1-compat`).
    package let isOpenCode1Compatible: Bool
    /// The limits for times and sizes. ``ServerLimits/maximumHead`` and ``ServerLimits/maximumConnections`` keep their
    /// initial values after a reload, because they configure libmicrohttpd's daemon.
    package let limits: GatewayLimits
    /// The encoding of OpenCode 1's streamed text if neither the request nor the project
    /// sets an encoding (`--event-form`).
    package let eventEncoding: EventEncoding
    /// Whether the gateway writes a log line for each request.
    package let accessLog: Bool

    /// Creates a policy from its parts.
    package init(
        keys: KeyTable, keyLimits: KeyLimits = KeyLimits(), identityHeader: [UInt8]? = nil,
        failedTries: FailureLimiter.Rate, trustedProxies: AddressRanges, origins: AllowedOrigins,
        pinsDirectories: Bool, isOpenCode1Compatible: Bool, limits: GatewayLimits,
        eventEncoding: EventEncoding, accessLog: Bool
    ) {
        self.keys = keys
        self.keyLimits = keyLimits
        self.identityHeader = identityHeader
        self.failedTries = failedTries
        self.trustedProxies = trustedProxies
        self.origins = origins
        self.pinsDirectories = pinsDirectories
        self.isOpenCode1Compatible = isOpenCode1Compatible
        self.limits = limits
        self.eventEncoding = eventEncoding
        self.accessLog = accessLog
    }

    /// Returns the cross-origin terms of the response to this request; nil if no fields need to be added.
    package func crossOriginTerms(_ head: RequestHead) -> CrossOriginTerms? {
        // If no origin is allowed, avoid the work of `terms(for:)`.
        origins.isEmpty ? nil : origins.terms(for: head.fields)
    }

    /// Returns whether the gateway trusts this peer to name its clients.
    ///
    /// - Parameter peer: The peer's address; nil if it has none.
    package func trusts(_ peer: IPAddress?) -> Bool {
        guard !trustedProxies.isEmpty, let peer else { return false }
        return trustedProxies.contains(peer)
    }
}

/// The limits of each loop, including the limits of the HTTP server.
package struct GatewayLimits: Sendable {
    /// The limits of the HTTP server.
    package var server: ServerLimits
    /// The time limit for the head of an instance's response, and then for each further byte
    /// of the response (`--answer-timeout`).
    package var answerTimeout: Duration
    /// The time limit for each further byte on an event stream or a tunnel (`--stream-timeout`).
    package var streamTimeout: Duration
    /// The maximum number of bytes that may wait for a client that does not read its event stream (`--stream-backlog`).
    package var streamBacklog: Int

    /// The maximum time during which the client of a hub stream accepts no bytes (`--stream-stall`).
    package var streamStall: Duration
    /// The maximum time that a request for events waits for an instance that will
    /// soon be ready (`--start-answer-timeout`).
    package var streamStart: Duration

    /// Creates limits from the given values.
    package init(
        server: ServerLimits, answerTimeout: Duration, streamTimeout: Duration, streamBacklog: Int,
        streamStall: Duration, streamStart: Duration
    ) {
        self.server = server
        self.answerTimeout = answerTimeout
        self.streamTimeout = streamTimeout
        self.streamBacklog = streamBacklog
        self.streamStall = streamStall
        self.streamStart = streamStart
    }

    /// The rule for detecting clients and instances that have vanished without closing their connections.
    package var peerLoss: PeerLoss { server.peerLoss }
}
