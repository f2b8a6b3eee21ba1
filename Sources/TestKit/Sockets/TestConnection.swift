import Glibc

/// A connected TCP socket whose every byte and every way to end are under the test's control.
///
/// One thread may read while another writes and a third closes: closing wakes the other two, and the descriptor is
/// given back only when nobody uses it any more. Every blocking call has a limit.
package final class TestConnection: Sendable {
    /// What a blocking call may take when the caller does not say.
    package static let defaultLimit: Duration = .seconds(10)

    /// How the peer ended its direction.
    package enum Ending: Sendable, Equatable {
        /// Cleanly, with FIN.
        case closed
        /// With RST.
        case reset
    }

    private struct Life {
        var descriptor: Int32
        var users = 0
        var isClosing = false
        var isReset = false
    }

    private let life: Monitor<Life>
    /// Bytes that were received but not consumed yet.
    let unread = Monitor(ReceiveBuffer())
    /// The port of this side.
    package let localPort: UInt16
    /// The port of the other side.
    package let peerPort: UInt16

    /// Takes over a connected stream socket.
    init(owning descriptor: Int32) {
        life = Monitor(Life(descriptor: descriptor))
        localPort = SocketAddress.port(of: descriptor, getsockname)
        peerPort = SocketAddress.port(of: descriptor, getpeername)
        // Each write is to leave at once: what a test writes in two pieces must arrive in two.
        SocketOption.set(descriptor, SocketOption.tcpLevel, TCP_NODELAY, 1)
    }

    deinit { close() }

    /// Whether this side has closed or reset the connection.
    package var isClosed: Bool { life.withLock { $0.isClosing } }

    /// Closes both directions: the peer sees FIN, or RST when it still sends. Harmless when done twice.
    package func close() {
        end(reset: false)
    }

    /// Ends the connection with RST (SO_LINGER 0): what was not sent yet is thrown away.
    package func reset() {
        end(reset: true)
    }

    /// Ends this side's direction with FIN; reading goes on.
    package func shutdownWrite() throws {
        try use("shutdown") { descriptor in
            _ = try SystemCall.check("shutdown") { shutdown(descriptor, Int32(SHUT_WR)) }
        }
    }

    /// Limits the kernel's receive buffer (the kernel doubles it). Fully effective only before the peer has sent much.
    package func setReceiveBuffer(bytes: Int) throws {
        try use("setsockopt") { SocketOption.set($0, SOL_SOCKET, SO_RCVBUF, Int32(clamping: bytes)) }
    }

    /// Limits the kernel's send buffer (the kernel doubles it).
    package func setSendBuffer(bytes: Int) throws {
        try use("setsockopt") { SocketOption.set($0, SOL_SOCKET, SO_SNDBUF, Int32(clamping: bytes)) }
    }

    /// How long the peer let the connection rest before the bytes that came last: since those that were sent last, of which there
    /// must be some, and none since (tcp(7), TCP_INFO). To a tick of the kernel's clock, however late its reader's thread runs.
    package func restBeforeArrival() throws -> Duration {
        var info = tcp_info()
        var length = socklen_t(MemoryLayout<tcp_info>.size)
        _ = try use("getsockopt") { descriptor in
            try SystemCall.check("getsockopt") {
                getsockopt(descriptor, SocketOption.tcpLevel, TCP_INFO, &info, &length)
            }
        }
        return .milliseconds(Int(info.tcpi_last_data_sent) - Int(info.tcpi_last_data_recv))
    }

    /// Runs `body` with the descriptor, which stays valid meanwhile.
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

    private func end(reset: Bool) {
        life.withLock { life in
            if life.isClosing { return }
            life.isClosing = true
            life.isReset = reset
            if reset { SocketOption.setLinger(life.descriptor, seconds: 0) }
            if life.users == 0 {
                Self.close(life)
            } else {
                // Wakes the thread that is in poll(2): it closes when it leaves. SHUT_RD tells the peer nothing, so
                // that the close that follows a reset is still the RST.
                _ = shutdown(life.descriptor, Int32(reset ? SHUT_RD : SHUT_RDWR))
            }
        }
    }

    /// Tells the peer at once what close(2) alone would: that waits for the last copy of the descriptor, and a child of another
    /// test has one between its fork and its exec.
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
