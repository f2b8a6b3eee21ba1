import EventLoop

/// Accepts connections for one server while there is room.
///
/// At the limit, and when the descriptor table is full, it stops to look: waiting connections stay in the kernel's
/// queue instead of waking the loop for nothing.
final class Acceptor: ReadinessHandler, TimerHandler {
    /// Connections that are taken one after the other, at most. Of a socket that other loops share fewer: what is left is theirs,
    /// too.
    private var mostAtOnce: Int { listener.isShared ? 4 : 64 }
    /// Who has come alone is no crowd: to ask for another one in vain is a system call.
    private static let crowd = Duration.milliseconds(1)
    private static let retryAfterExhaustion = Duration.milliseconds(100)

    let listener: Listener
    /// The number that its clients' connections have.
    private let entrance: UInt8
    private unowned let server: Server
    private var watch: EventLoop.Watch?
    private var timer: LoopTimer?
    private var batch = 1
    private var lastTime = MonotonicTime.now

    init(listener: Listener, entrance: UInt8, server: Server) throws(SystemCallError) {
        self.listener = listener
        self.entrance = entrance
        self.server = server
        watch = try server.loop.watch(listener.descriptor, for: Self.readiness(listener), handler: self)
        timer = server.loop.timer(self)
    }

    func ready(_ readiness: Readiness) {
        // The kernel tells again of those that are left.
        let now = server.loop.now
        batch = now - lastTime < Self.crowd ? min(batch * 2, mostAtOnce) : 1
        lastTime = now
        for number in 0..<batch {
            guard server.hasRoom else {
                // Whether another client waits behind those that were accepted, the kernel tells.
                guard number == 0 else { return }
                if !server.makeRoom() {
                    server.handler.turnedAway("", .noRoom(limit: server.limits.maximumConnections))
                }
                return pause()
            }
            switch listener.accept() {
            case .connection(let descriptor, let address): server.take(descriptor, from: address, by: entrance)
            case .nobody: return
            case .exhausted(let code):
                server.handler.turnedAway("", .notAccepted(code: code))
                pause()
                if let timer { server.loop.arm(timer, after: Self.retryAfterExhaustion) }
                return
            }
        }
    }

    /// A connection has gone.
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
