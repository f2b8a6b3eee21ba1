// SPDX-License-Identifier: Apache-2.0

package import EventLoop

/// The limits for a server's clients, with the settings that change them.
package struct ServerLimits: Sendable {
    /// The time from the first byte of a request to the end of its head (`--head-timeout`).
    package var headTimeout: Duration
    /// The time that a kept-alive connection may be idle between requests (`--idle-timeout`).
    package var idleTimeout: Duration
    /// The maximum time between two received parts of a request body (`--body-timeout`).
    package var bodyTimeout: Duration
    /// The maximum time for which a client may read nothing of a response (`--answer-timeout`).
    package var sendTimeout: Duration
    /// The rule for detecting a client that has vanished silently (`--stream-stall`).
    package var peerLoss = PeerLoss(limit: .seconds(60))
    /// The maximum size in bytes of a request body that is collected completely before the handler receives the
    /// request.
    package var bufferedBody = 64 * 1024
    /// The maximum size of the request line and all fields together, in bytes (`--max-head`).
    package var maximumHead: Int
    /// The maximum number of connections of one loop (`--max-connections`, divided by the number of loops).
    package var maximumConnections: Int

    /// Creates limits from the settings. Only the table of settings has defaults.
    package init(
        headTimeout: Duration, idleTimeout: Duration, bodyTimeout: Duration, sendTimeout: Duration, maximumHead: Int,
        maximumConnections: Int
    ) {
        self.headTimeout = headTimeout
        self.idleTimeout = idleTimeout
        self.bodyTimeout = bodyTimeout
        self.sendTimeout = sendTimeout
        self.maximumHead = maximumHead
        self.maximumConnections = maximumConnections
    }

    /// The number of buffered bytes of a body, in each direction, above which its source is paused.
    static let highWater = 256 * 1024
    /// The number of buffered bytes below which a paused source is resumed.
    static let lowWater = 64 * 1024

    /// The size of libmicrohttpd's memory for one connection. The request's head, a record for each field and the
    /// response's head must fit. If they do not fit, libmicrohttpd itself responds with 431. libmicrohttpd zeroes most
    /// of this memory for each request, so a larger pool is slower.
    var poolSize: Int { maximumHead + max(4 * 1024, maximumHead / 4) }
}
