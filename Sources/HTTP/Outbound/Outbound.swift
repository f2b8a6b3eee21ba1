// SPDX-License-Identifier: Apache-2.0

internal import Locking

/// The settings that all requests share.
package struct OutboundSettings: Sendable {
    /// The proxies from the environment.
    package var proxies = ProxyEnvironment.none
    /// The file with the trusted certificate authorities (PEM); nil for the system's default file.
    package var authorities: String?
    /// The directory with the trusted certificate authorities, named by their hashes (openssl-rehash(1)); nil for the
    /// system's default directory.
    package var authorityFolder: String?
    /// The value of the `User-Agent` field.
    package var userAgent = "viberemote-gateway"
    /// The maximum number of concurrent requests. Further requests are queued.
    package var mostAtOnce = 64
    /// The maximum number of queued requests. Further requests fail immediately.
    package var mostWaiting = 1024

    /// Creates the default settings: no proxy, the system's certificate authorities.
    package init() {}

    /// Creates settings from environment variables: the proxies from curl's variables, and the certificate authorities
    /// from the variables that OpenSSL and the curl command also read.
    package init(environment: [String: String]) {
        proxies = ProxyEnvironment(environment)
        authorities = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        authorityFolder = environment["SSL_CERT_DIR"].flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// A client for requests to external servers over TLS. The client uses HTTP/2 if the server supports it, and HTTP/1.1
/// otherwise.
///
/// All transfers run on a dedicated thread, and no event loop of the gateway waits for this thread. Responses are
/// delivered on that thread, or to the task that awaits them.
package final class Outbound: Sendable {
    private let inbox: Inbox
    private let thread: WorkerThread

    /// Starts the thread that runs all transfers.
    package init(_ settings: OutboundSettings) throws(OutboundFailure) {
        if let reason = Inbox.loadingProblem {
            throw OutboundFailure(
                .unavailable, "libcurl cannot be loaded (\(reason)). On Debian, install libcurl4 (libcurl4t64).")
        }
        guard let inbox = Inbox() else {
            throw OutboundFailure(.unavailable, "There is not enough memory to start libcurl.")
        }
        self.inbox = inbox
        do {
            thread = try WorkerThread(name: "outbound") { TransferLoop(settings, inbox).run() }
        } catch {
            inbox.close()
            throw OutboundFailure(
                .unavailable,
                "The thread for outbound requests could not be started (error \(error.code)). Raise the limit on "
                    + "processes.")
        }
    }

    deinit { inbox.stop() }

    /// Starts a request.
    ///
    /// - Parameter receive: The closure that receives the events. The closure runs on the transfer thread, so it must
    ///   return quickly and never block. The last event is always ``OutboundEvent/ended(_:)``.
    @discardableResult
    package func start(
        _ request: OutboundRequest, receive: @escaping @Sendable (OutboundEvent) -> Void
    ) -> OutboundTransfer {
        OutboundTransfer(id: inbox.add(request, receive), inbox: inbox)
    }

    /// Sends a request and returns the whole response. Cancelling the task cancels the request.
    package func send(_ request: OutboundRequest) async throws(OutboundFailure) -> OutboundAnswer {
        let collector = AnswerCollector()
        let result: Result<OutboundAnswer, OutboundFailure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let transfer = start(request) { event in
                    if let result = collector.collect(event) { continuation.resume(returning: result) }
                }
                collector.began(transfer)
            }
        } onCancel: {
            collector.cancel()
        }
        return try result.get()
    }

    /// Fails all pending requests and waits for the thread to end. Do not call this method from a `receive` closure.
    package func stop() {
        inbox.stop()
        thread.join()
    }
}

/// A handle for a running request.
package struct OutboundTransfer: Sendable {
    let id: UInt64
    let inbox: Inbox

    /// Cancels the request unless it has ended. A cancelled request ends with a failure.
    package func cancel() { inbox.cancel(id) }
}

/// Collects the events of a request into a complete response.
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

    /// Returns the result of the request if the event completes it.
    func collect(_ event: OutboundEvent) -> Result<OutboundAnswer, OutboundFailure>? {
        state.withLock { state in
            switch event {
            case .head(let head): state.head = head
            case .bytes(let bytes): state.body += bytes
            case .ended(let failure):
                if let failure { return .failure(failure) }
                return state.head.map { .success(OutboundAnswer(head: $0, body: state.body)) }
                    ?? .failure(OutboundFailure(.answer, "The server sent no response."))
            }
            return nil
        }
    }
}
