// SPDX-License-Identifier: Apache-2.0

package import EventLoop

/// The limits for a server's clients, each with the name of the setting that changes it.
package struct ServerLimits: Sendable {
    /// The time from the first byte of a request to the end of its head (`--head-timeout`).
    package var headTimeout: Duration
    /// The time that a kept-alive connection may be without a request (`--idle-timeout`).
    package var idleTimeout: Duration
    /// The time that a request body may be without a byte (`--body-timeout`).
    package var bodyTimeout: Duration
    /// The time that a client may read no byte of a response (`--answer-timeout`).
    package var sendTimeout: Duration
    /// The detection of a client that has vanished silently (`--stream-stall`).
    package var peerLoss = PeerLoss(limit: .seconds(60))
    /// The maximum size of a request body that is held completely before the request is handed over, in bytes.
    package var heldBody = 64 * 1024
    /// The maximum size of the request line and all fields together, in bytes (`--max-head`).
    package var maximumHead: Int
    /// The maximum number of connections of one loop (`--max-connections`, divided by the number of loops).
    package var maximumConnections: Int

    /// Creates limits from the settings; only the table of settings has defaults.
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
    /// The number of buffered bytes below which a paused source resumes.
    static let lowWater = 64 * 1024

    /// The size of libmicrohttpd's memory for one connection: the head, one record for each field and the head of the
    /// response must fit. Beyond it the library itself responds with 431. It zeroes most of this memory for each
    /// request, so more is not better.
    var poolSize: Int { maximumHead + max(4 * 1024, maximumHead / 4) }
}
