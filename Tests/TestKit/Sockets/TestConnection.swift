// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A connected TCP socket that gives a test control over every byte and over the way the connection ends.
///
/// One thread may read while another thread writes and a third one closes the connection. Closing wakes the other two,
/// and the descriptor is released only when no thread uses it. Every blocking call has a time limit.
package final class TestConnection: Sendable {
    /// The default time limit of a blocking call.
    package static let defaultLimit: Duration = .seconds(10)

    /// How the peer ended its direction.
    package enum Ending: Sendable, Equatable {
        /// The peer closed its direction cleanly, with FIN.
        case closed
        /// The peer reset the connection, with RST.
        case reset
    }

    private struct Life {
        var descriptor: Int32
        var users = 0
        var isClosing = false
        var isReset = false
    }

    private let life: Monitor<Life>
    /// The received bytes that were not consumed yet.
    let unread = Monitor(ReceiveBuffer())
    /// The port of this side.
    package let localPort: UInt16
    /// The port of the peer's side.
    package let peerPort: UInt16

    /// Takes ownership of a connected stream socket.
    init(owning descriptor: Int32) {
        life = Monitor(Life(descriptor: descriptor))
        localPort = SocketAddress.port(of: descriptor, getsockname)
        peerPort = SocketAddress.port(of: descriptor, getpeername)
        // Send each write immediately, because two pieces that a test writes must arrive as two pieces.
        SocketOption.set(descriptor, level: SocketOption.tcpLevel, option: TCP_NODELAY, to: 1)
    }

    deinit { close() }

    /// Whether this side has closed or reset the connection.
    package var isClosed: Bool { life.withLock { $0.isClosing } }

    /// Closes both directions. The peer receives FIN, or RST if bytes from the peer are still arriving. Further calls
    /// have no effect.
    package func close() {
        shutDown(reset: false)
    }

    /// Ends the connection with RST (SO_LINGER 0). Unsent data is discarded.
    package func reset() {
        shutDown(reset: true)
    }

    /// Ends this side's direction with FIN. Reading remains possible.
    package func shutdownWrite() throws {
        try use("shutdown") { descriptor in
            _ = try SystemCall.check("shutdown") { shutdown(descriptor, Int32(SHUT_WR)) }
        }
    }

    /// Limits the kernel's send buffer. The kernel doubles the value.
    package func setSendBuffer(bytes: Int) throws {
        try use("setsockopt") { SocketOption.set($0, level: SOL_SOCKET, option: SO_SNDBUF, to: Int32(clamping: bytes)) }
    }

    /// Returns the time between the last sent bytes and the last received bytes (tcp(7), TCP_INFO). This side
    /// must have sent bytes, but none since it last received bytes. The resolution is a tick of the kernel's clock, and a delay
    /// of the reading thread has no effect.
    package func waitBeforeArrival() throws -> Duration {
        var info = tcp_info()
        var length = socklen_t(MemoryLayout<tcp_info>.size)
        _ = try use("getsockopt") { descriptor in
            try SystemCall.check("getsockopt") {
                getsockopt(descriptor, SocketOption.tcpLevel, TCP_INFO, &info, &length)
            }
        }
        return .milliseconds(Int(info.tcpi_last_data_sent) - Int(info.tcpi_last_data_recv))
    }

    /// Calls `body` with the descriptor, which remains valid during the call.
    func use<Result>(_ operation: String, _ body: (Int32) throws -> Result) throws -> Result {
        let descriptor = try life.withLock { life in
            if life.isClosing { throw TestKitError.closedHere(during: operation) }
            life.users += 1
            return life.descriptor
        }
        defer { finishUse() }
        return try body(descriptor)
    }

    private func finishUse() {
        life.withLock { life in
            life.users -= 1
            if life.isClosing, life.users == 0 { Self.close(life) }
        }
    }

    private func shutDown(reset: Bool) {
        life.withLock { life in
            if life.isClosing { return }
            life.isClosing = true
            life.isReset = reset
            if reset { SocketOption.setLinger(life.descriptor, seconds: 0) }
            if life.users == 0 {
                Self.close(life)
            } else {
                // Wakes the thread that waits in poll(2). This thread closes the descriptor when poll(2) returns.
                // SHUT_RD sends nothing to the peer, so the following close can still send the RST.
                _ = shutdown(life.descriptor, Int32(reset ? SHUT_RD : SHUT_RDWR))
            }
        }
    }

    /// Closes the connection with an immediate effect for the peer. close(2) alone would take effect only with the last
    /// copy of the descriptor, and a child of another test has a copy between fork and exec.
    private static func close(_ life: Life) {
        var unread: Int32 = 0
        _ = ioctl(life.descriptor, UInt(FIONREAD), &unread)
        if life.isReset || unread > 0 {
            SocketAddress.disconnect(life.descriptor)
        } else {
            _ = shutdown(life.descriptor, Int32(SHUT_RDWR))
        }
        _ = Glibc.close(life.descriptor)
    }
}
