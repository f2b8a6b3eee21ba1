package import EventLoop

/// What a server allows its clients, each with the name of the setting that changes it.
package struct ServerLimits: Sendable {
    /// From the first byte of a request to the end of its head (`--head-timeout`).
    package var headTimeout: Duration
    /// A kept-alive connection without a request (`--idle-timeout`).
    package var idleTimeout: Duration
    /// A request body without a byte (`--body-timeout`).
    package var bodyTimeout: Duration
    /// An answer of which the client takes no byte (`--answer-timeout`).
    package var sendTimeout: Duration
    /// A client that has vanished without a word (`--stream-stall`).
    package var peerLoss = PeerLoss(limit: .seconds(60))
    /// A request body up to this size is held whole before the request is handed over, in bytes.
    package var heldBody = 64 * 1024
    /// The request line and all fields together, in bytes (`--max-head`).
    package var maximumHead: Int
    /// Connections of one loop (`--max-connections`, divided by the number of loops).
    package var maximumConnections: Int

    /// What the settings say; their table alone has defaults.
    package init(
        headTimeout: Duration, idleTimeout: Duration, bodyTimeout: Duration, sendTimeout: Duration, maximumHead: Int,
        maximumConnections: Int
    ) {
        (self.headTimeout, self.idleTimeout, self.bodyTimeout) = (headTimeout, idleTimeout, bodyTimeout)
        self.sendTimeout = sendTimeout
        (self.maximumHead, self.maximumConnections) = (maximumHead, maximumConnections)
    }

    /// Bytes of a body on its way, each direction, above which its source is paused.
    static let highWater = 256 * 1024
    /// Bytes below which a paused source goes on.
    static let lowWater = 64 * 1024

    /// libmicrohttpd's memory for one connection: the head, one record for each field and the head of the answer must
    /// fit. Beyond it the library answers 431 itself. It zeroes most of this memory for each request, so more is not
    /// better.
    var poolSize: Int { maximumHead + max(4 * 1024, maximumHead / 4) }
}
