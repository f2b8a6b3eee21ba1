internal import CCurl
internal import Locking

/// What other threads ask of the transfers' thread.
final class Inbox: Sendable {
    /// A request that was handed over.
    struct Order: Sendable {
        let id: UInt64
        let request: OutboundRequest
        let deadline: ContinuousClock.Instant
        let receive: @Sendable (OutboundEvent) -> Void
    }

    /// What has come since the last look.
    struct Content {
        var orders: [Order] = []
        var cancelled: [UInt64] = []
        var isStopping = false
    }

    private struct State {
        var content = Content()
        var nextID: UInt64 = 1
        /// Whether the thread has taken its leave: its handle is gone, or about to go.
        var hasEnded = false
    }

    /// libcurl's handle of all transfers. Threads other than its own call nothing but `curl_multi_wakeup`, which is
    /// made for that, and only while it exists: under the lock.
    struct Handle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    let handle: Handle
    private let state = Locked(State())

    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Nil without memory.
    init?() {
        guard Self.isLibraryReady, let pointer = curl_multi_init() else { return nil }
        handle = Handle(pointer: pointer)
    }

    func add(_ request: OutboundRequest, _ receive: @escaping @Sendable (OutboundEvent) -> Void) -> UInt64 {
        let deadline = ContinuousClock.now + request.timeout
        let (id, isTaken) = state.withLock { state in
            let id = state.nextID
            state.nextID += 1
            guard !state.hasEnded else { return (id, false) }
            state.content.orders.append(Order(id: id, request: request, deadline: deadline, receive: receive))
            curl_multi_wakeup(handle.pointer)
            return (id, true)
        }
        if !isTaken { receive(.ended(TransferLoop.stopped)) }
        return id
    }

    func cancel(_ id: UInt64) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.content.cancelled.append(id)
            curl_multi_wakeup(handle.pointer)
        }
    }

    func stop() {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.content.isStopping = true
            curl_multi_wakeup(handle.pointer)
        }
    }

    /// All that has come; the inbox is empty then. Called by the transfers' thread.
    func take() -> Content {
        state.withLock { state in
            defer { state.content = Content() }
            return state.content
        }
    }

    /// Gives the handle back, and answers what nobody will carry out any more. Called by the transfers' thread, last.
    @discardableResult
    func end() -> Content {
        state.withLock { state in
            state.hasEnded = true
            curl_multi_cleanup(handle.pointer)
            defer { state.content = Content() }
            return state.content
        }
    }
}
