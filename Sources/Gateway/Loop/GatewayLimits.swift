package import HTTPServer

/// What the gateway allows on each loop, besides what ``ServerLimits`` says of clients.
package struct GatewayLimits: Sendable {
    /// What the HTTP front allows.
    package var server = ServerLimits()
    /// Until the head of an instance's answer, and then without a byte of it (`--answer-timeout`).
    package var answerTimeout = Duration.seconds(900)
    /// Without a byte on an event stream or a tunnel (`--stream-timeout`).
    package var streamTimeout = Duration.seconds(86_400)
    /// Bytes that may wait for a client that does not read its event stream (`--stream-backlog`).
    package var streamBacklog = 4 * 1024 * 1024

    /// The defaults.
    package init() {}
}
