internal import CCurl
import EventLoop
import Glibc

/// A descriptor that libcurl owns and the loop watches.
final class CurlSocket: ReadinessHandler {
    let descriptor: Int32
    private unowned let client: UpstreamClient
    private var watch: EventLoop.Watch?
    private var wanted: Readiness = []
    /// The exchange that uses the connection, as far as is known.
    var exchange: UpstreamExchange?
    /// Whether no exchange uses the connection.
    var isIdle = false
    /// Whether libcurl waits for nothing but bytes: while it connects it waits for room to write.
    var isEstablished: Bool { wanted == .readable }
    /// Whether the descriptor has another owner when libcurl lets go of it.
    var isTaken = false

    init(client: UpstreamClient, descriptor: Int32) {
        self.client = client
        self.descriptor = descriptor
    }

    func want(_ what: Int32) {
        isIdle = false
        var readiness: Readiness = []
        if what & CURL_POLL_IN != 0 { readiness.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { readiness.insert(.writable) }
        if let watch {
            guard readiness != wanted else { return }
            try? client.loop.change(watch, to: readiness)
        } else {
            watch = try? client.loop.watch(descriptor, for: readiness, handler: self)
        }
        wanted = readiness
    }

    func stopWatching() {
        if let watch { client.loop.cancel(watch) }
        watch = nil
    }

    func ready(_ readiness: Readiness) {
        guard isIdle else { return client.ready(self, readiness) }
        // A paused exchange does not look at its connection either, and libcurl has not told yet where a new one is.
        if exchange == nil, !client.hasUnplacedExchange { retire() } else { stopWatching() }
    }

    /// An idle connection with news was closed by the instance, or has brought bytes that nobody asked for and that
    /// must not become the next request's answer. Shut down and emptied it reads as closed: libcurl looks at that
    /// before it uses it again.
    private func retire() {
        stopWatching()
        shutdown(descriptor, Int32(SHUT_RDWR))
        while recv(descriptor, nil, Int(Int32.max), Int32(MSG_TRUNC | MSG_DONTWAIT)) > 0 {}
    }
}
