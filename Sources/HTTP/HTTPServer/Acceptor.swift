// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// Accepts connections for one server as long as the server has room.
///
/// At the connection limit, and when no descriptor is available, the acceptor stops watching the listener. Waiting
/// connections then stay in the kernel's queue and do not wake the loop.
final class Acceptor: ReadinessHandler, TimerHandler {
    /// The maximum number of connections accepted in one pass. The number is smaller for a socket that several loops
    /// share, so that the other loops accept the remaining connections.
    private var mostAtOnce: Int { listener.isShared ? 4 : 64 }
    /// The longest interval between two connections that counts as a burst. After a single connection, another
    /// accept(2) would be a wasted system call.
    private static let crowd = Duration.milliseconds(1)
    private static let retryAfterExhaustion = Duration.milliseconds(100)

    let listener: Listener
    /// The number of the listener, which the connections of its clients store.
    private let listenerNumber: UInt8
    private unowned let server: Server
    private var watch: EventLoop.Watch?
    private var timer: LoopTimer?
    private var batch = 1
    private var lastTime = MonotonicTime.now

    init(listener: Listener, listenerNumber: UInt8, server: Server) throws(SystemCallError) {
        self.listener = listener
        self.listenerNumber = listenerNumber
        self.server = server
        watch = try server.loop.watch(listener.descriptor, for: Self.readiness(listener), handler: self)
        timer = server.loop.timer(self)
    }

    func ready(_ readiness: Readiness) {
        // Accept a limited number of connections. The kernel reports the remaining connections again in the next pass.
        let now = server.loop.now
        batch = now - lastTime < Self.crowd ? min(batch * 2, mostAtOnce) : 1
        lastTime = now
        for number in 0..<batch {
            guard server.hasRoom else {
                // If another client is waiting, the kernel reports the listener again in the next pass.
                guard number == 0 else { return }
                if !server.makeRoom() {
                    server.handler.rejected("", .noRoom(limit: server.limits.maximumConnections))
                }
                return pause()
            }
            switch listener.accept() {
            case .connection(let descriptor, let address): server.add(descriptor, from: address, by: listenerNumber)
            case .noClient: return
            case .exhausted(let code):
                server.handler.rejected("", .notAccepted(code: code))
                pause()
                if let timer { server.loop.arm(timer, after: Self.retryAfterExhaustion) }
                return
            }
        }
    }

    /// Resumes accepting connections after a connection has ended.
    func roomAgain() {
        guard watch == nil, timer != nil else { return }
        watch = try? server.loop.watch(listener.descriptor, for: Self.readiness(listener), handler: self)
    }

    private static func readiness(_ listener: Listener) -> Readiness {
        listener.isShared ? [.readable, .exclusive] : .readable
    }

    func timerFired(_ timer: LoopTimer) { roomAgain() }

    func stop() {
        pause()
        if let timer { server.loop.cancel(timer) }
        timer = nil
    }

    private func pause() {
        if let watch { server.loop.cancel(watch) }
        watch = nil
    }
}
