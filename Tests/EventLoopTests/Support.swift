// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Testing

/// A descriptor that is readable as long as it rings, and always writable. It is one end of a pair.
final class Bell {
    let descriptor: Int32
    private let rope: Int32

    init() throws {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0)
        descriptor = pair[0]
        rope = pair[1]
    }

    deinit {
        close(descriptor)
        close(rope)
    }

    func ring() { _ = send(rope, "!", 1, 0) }

    func silence() {
        var bytes = [UInt8](repeating: 0, count: 64)
        _ = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    }
}

/// Calls a closure for each event.
final class OnReady: ReadinessHandler {
    private let body: (Readiness) -> Void
    init(_ body: @escaping (Readiness) -> Void) { self.body = body }
    func ready(_ readiness: Readiness) { body(readiness) }
}

/// Calls a closure for each deadline.
final class OnTimer: TimerHandler {
    private let body: (LoopTimer) -> Void
    init(_ body: @escaping (LoopTimer) -> Void) { self.body = body }
    func timerFired(_ timer: LoopTimer) { body(timer) }
}

/// Calls a closure at the end of a pass.
final class OnPassEnd: PassHandler {
    private let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
    func passEnded() { body() }
}

extension EventLoop {
    /// Runs until `stop()`. A loop that is never stopped fails the test instead of hanging it.
    func runWithinLimit(_ limit: Duration = .seconds(30)) throws {
        var isLate = false
        let timer = timer(
            OnTimer { [unowned self] _ in
                isLate = true
                stop()
            })
        arm(timer, at: .now + limit)
        try run()
        cancel(timer)
        #expect(!isLate, "the loop was not stopped in time")
    }
}

/// An address on 127.0.0.1 with any port.
var loopback: SocketAddress {
    get throws { try #require(SocketAddress(host: "127.0.0.1", port: 0)) }
}

/// Waits until the descriptor is ready, and returns its readiness.
@discardableResult
func waitUntilReady(_ descriptor: Int32, for readiness: Readiness) throws -> Readiness {
    let loop = try EventLoop()
    var reported: Readiness = []
    let handler = OnReady { [unowned loop] readiness in
        reported = readiness
        loop.stop()
    }
    _ = try loop.watch(descriptor, for: readiness, handler: handler)
    try loop.runWithinLimit()
    return reported
}

/// Returns the next connection that waits at a listener.
func accepted(by listener: Listener) throws -> (socket: Socket, peer: SocketAddress) {
    try waitUntilReady(listener.descriptor, for: .readable)
    var connection: (Int32, SocketAddress)?
    if case .connection(let descriptor, let peer) = listener.accept() { connection = (descriptor, peer) }
    let (descriptor, peer) = try #require(connection)
    return (Socket(owning: descriptor), peer)
}
