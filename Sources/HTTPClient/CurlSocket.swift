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
    /// Whether libcurl waits for nothing but bytes: while it connects it waits for room to write.
    var isEstablished: Bool { wanted == .readable }
    /// Whether the descriptor has another owner when libcurl lets go of it.
    var isTaken = false

    init(client: UpstreamClient, descriptor: Int32) {
        self.client = client
        self.descriptor = descriptor
    }

    func want(_ what: Int32) {
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

    func ready(_ readiness: Readiness) { client.ready(self, readiness) }
}
