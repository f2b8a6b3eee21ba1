// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Locking

/// The commands from other threads to the transfer thread.
final class Inbox: Sendable {
    /// A request that another thread has submitted.
    struct Order: Sendable {
        let id: UInt64
        let request: OutboundRequest
        let deadline: ContinuousClock.Instant
        let receive: @Sendable (OutboundEvent) -> Void
    }

    /// The commands that have arrived since the last call to `removeAll`.
    struct Content {
        var orders: [Order] = []
        var cancelled: [UInt64] = []
        var isStopping = false
    }

    private struct State {
        var content = Content()
        var nextID: UInt64 = 1
        /// Whether the transfer thread has ended. In that case, libcurl's handle no longer exists or is about to be
        /// released.
        var hasEnded = false
    }

    /// libcurl's multi handle. Other threads only call `curl_multi_wakeup`, which libcurl allows on any thread. These
    /// threads call this function only under the lock and while the handle exists.
    struct Handle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    let handle: Handle
    private let state = Locked(State())

    private static let isLibraryReady = ccurl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// The reason why libcurl cannot be loaded; nil if it is loaded.
    static var loadingProblem: String? { ccurl_load().map { String(cString: $0) } }

    /// Creates an inbox; returns nil if libcurl cannot allocate memory. libcurl must already have been loaded.
    init?() {
        guard Self.isLibraryReady, let pointer = ccurl_multi_init() else { return nil }
        handle = Handle(pointer: pointer)
    }

    func add(_ request: OutboundRequest, _ receive: @escaping @Sendable (OutboundEvent) -> Void) -> UInt64 {
        let deadline = ContinuousClock.now + request.timeout
        let (id, isAccepted) = state.withLock { state in
            let id = state.nextID
            state.nextID += 1
            guard !state.hasEnded else { return (id, false) }
            state.content.orders.append(Order(id: id, request: request, deadline: deadline, receive: receive))
            ccurl_multi_wakeup(handle.pointer)
            return (id, true)
        }
        if !isAccepted { receive(.ended(TransferLoop.stopped)) }
        return id
    }

    func cancel(_ id: UInt64) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.content.cancelled.append(id)
            ccurl_multi_wakeup(handle.pointer)
        }
    }

    func stop() {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.content.isStopping = true
            ccurl_multi_wakeup(handle.pointer)
        }
    }

    /// Removes and returns all commands. Called on the transfer thread.
    func removeAll() -> Content {
        state.withLock { state in
            defer { state.content = Content() }
            return state.content
        }
    }

    /// Releases the handle and returns the commands that will no longer be executed. The transfer thread calls this
    /// method last.
    @discardableResult
    func close() -> Content {
        state.withLock { state in
            state.hasEnded = true
            ccurl_multi_cleanup(handle.pointer)
            defer { state.content = Content() }
            return state.content
        }
    }
}
