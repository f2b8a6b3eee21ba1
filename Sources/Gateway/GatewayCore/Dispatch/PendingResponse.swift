// SPDX-License-Identifier: Apache-2.0

package import EventLoop
package import HTTPServer

/// The connection of a client that waits for its response, with the wait's timer.
///
/// The wait ends once, with a response or when the client disconnects.
package struct PendingResponse {
    private unowned let loop: EventLoop
    /// The client's connection; nil after the wait has ended.
    package private(set) var connection: ClientConnection?
    private var timer: LoopTimer?

    /// Creates a wait that has not begun.
    package init(_ connection: ClientConnection, on loop: EventLoop) {
        self.connection = connection
        self.loop = loop
    }

    /// Begins the wait.
    ///
    /// - Parameters:
    ///   - exchange: Receives the connection's events during the wait.
    ///   - discardsBody: Whether to discard the request's body.
    package func attach(_ exchange: any ServerExchange, discardsBody: Bool = true) {
        connection?.exchange = exchange
        if discardsBody { connection?.discardBody() }
    }

    /// Calls `handler` after this time. A further call of this method replaces the time, and the end of the wait
    /// cancels the timer.
    package mutating func arm(_ handler: any TimerHandler, after time: Duration) {
        guard connection != nil else { return }
        let timer = timer ?? loop.pooledTimer(handler)
        self.timer = timer
        loop.arm(timer, after: time)
    }

    /// Ends the wait. Returns the connection for the response; nil if the wait had already ended.
    package mutating func release() -> ClientConnection? {
        defer { connection = nil }
        if let timer { loop.release(timer) }
        timer = nil
        return connection
    }
}
