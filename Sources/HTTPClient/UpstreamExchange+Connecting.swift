package import EventLoop

/// The deadline of a connection that is being made. libcurl's own would cost each request on a kept connection as much
/// as those that connect.
extension UpstreamExchange: TimerHandler {
    /// libcurl opens a connection for the exchange; inside its callback.
    func connects() {
        let timer = connectTimer ?? client.loop.timer(self)
        connectTimer = timer
        client.loop.arm(timer, after: client.connectTimeout)
    }

    /// The connection is there, or nobody wants it any more.
    func forgetConnecting() {
        guard let timer = connectTimer else { return }
        connectTimer = nil
        client.loop.cancel(timer)
    }

    /// Nobody has accepted the connection.
    package func timerFired(_ timer: LoopTimer) { finish(.refused) }
}
