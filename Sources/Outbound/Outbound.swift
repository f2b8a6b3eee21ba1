internal import Locking

/// What all requests have in common.
package struct OutboundSettings: Sendable {
    /// The proxies of the environment.
    package var proxies = ProxyEnvironment.none
    /// The file with the certificates of the authorities that are believed (PEM); nil for the system's own.
    package var authorities: String?
    /// The folder with such certificates, named by their hashes (openssl-rehash(1)); nil for the system's own.
    package var authorityFolder: String?
    /// What `User-Agent` says.
    package var userAgent = "viberemote-gateway"
    /// Requests that run at once; further ones wait.
    package var mostAtOnce = 64
    /// Requests that wait for their turn; further ones fail at once.
    package var mostWaiting = 1024

    /// The defaults: no proxy, the system's authorities.
    package init() {}

    /// What the environment says: proxies, and authorities by the names that OpenSSL and curl's own program read.
    package init(environment: [String: String]) {
        proxies = ProxyEnvironment(environment)
        authorities = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        authorityFolder = environment["SSL_CERT_DIR"].flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Requests to the outside world, over TLS: HTTP/2 where the server speaks it, else HTTP/1.1.
///
/// All transfers run on one thread of their own, which no loop of the gateway waits for. Answers come on that thread,
/// or to who awaits them.
package final class Outbound: Sendable {
    private let inbox: Inbox
    private let thread: WorkerThread

    /// Starts the thread.
    package init(_ settings: OutboundSettings) throws(OutboundFailure) {
        guard let inbox = Inbox() else {
            throw OutboundFailure(.unavailable, "libcurl can't be used: there is no memory for it.")
        }
        self.inbox = inbox
        do {
            thread = try WorkerThread(name: "outbound") { TransferLoop(settings, inbox).run() }
        } catch {
            inbox.end()
            throw OutboundFailure(
                .unavailable,
                "No thread can be started for requests to the outside (error \(error.code)): raise the limit on "
                    + "processes.")
        }
    }

    deinit { inbox.stop() }

    /// Begins a request. `receive` is called on the thread of all transfers, the last time with the end: it must return
    /// soon and never wait.
    @discardableResult
    package func start(
        _ request: OutboundRequest, receive: @escaping @Sendable (OutboundEvent) -> Void
    ) -> OutboundTransfer {
        OutboundTransfer(id: inbox.add(request, receive), inbox: inbox)
    }

    /// Sends a request and waits for the whole answer. Cancelling the task ends it.
    package func send(_ request: OutboundRequest) async throws(OutboundFailure) -> OutboundAnswer {
        let collector = AnswerCollector()
        let result: Result<OutboundAnswer, OutboundFailure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let transfer = start(request) { event in
                    if let result = collector.take(event) { continuation.resume(returning: result) }
                }
                collector.began(transfer)
            }
        } onCancel: {
            collector.cancel()
        }
        return try result.get()
    }

    /// Ends all requests with a failure and waits for the thread's end. Not to be called from an answer.
    package func stop() {
        inbox.stop()
        thread.join()
    }
}

/// A request that runs.
package struct OutboundTransfer: Sendable {
    let id: UInt64
    let inbox: Inbox

    /// Ends it with a failure, unless it has ended.
    package func cancel() { inbox.cancel(id) }
}

/// Puts an answer together.
private final class AnswerCollector: Sendable {
    private struct State {
        var head: OutboundHead?
        var body: [UInt8] = []
        var transfer: OutboundTransfer?
        var isCancelled = false
    }

    private let state = Locked(State())

    func began(_ transfer: OutboundTransfer) {
        let isCancelled = state.withLock { state in
            state.transfer = transfer
            return state.isCancelled
        }
        if isCancelled { transfer.cancel() }
    }

    func cancel() {
        let transfer = state.withLock { state in
            state.isCancelled = true
            return state.transfer
        }
        transfer?.cancel()
    }

    /// The outcome, once it is there.
    func take(_ event: OutboundEvent) -> Result<OutboundAnswer, OutboundFailure>? {
        state.withLock { state in
            switch event {
            case .head(let head): state.head = head
            case .bytes(let bytes): state.body += bytes
            case .ended(let failure):
                if let failure { return .failure(failure) }
                return state.head.map { .success(OutboundAnswer(head: $0, body: state.body)) }
                    ?? .failure(OutboundFailure(.answer, "There is no answer."))
            }
            return nil
        }
    }
}
