internal import CCurl
import EventLoop
import Glibc

/// A descriptor that libcurl owns and the loop watches.
final class CurlSocket: ReadinessHandler {
    let descriptor: Int32
    private unowned let client: UpstreamClient
    private var watch: EventLoop.Watch?
    private var wanted: Readiness = []
    /// The exchange that uses the connection, until it has ended.
    var exchange: UpstreamExchange?

    init(client: UpstreamClient, descriptor: Int32, exchange: UpstreamExchange) {
        self.client = client
        self.descriptor = descriptor
        self.exchange = exchange
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
