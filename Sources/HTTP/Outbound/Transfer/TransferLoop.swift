// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Locking

/// The loop of the transfer thread. The loop runs a limited number of transfers and queues the others.
final class TransferLoop {
    private let settings: OutboundSettings
    private let inbox: Inbox
    private let multi: UnsafeMutableRawPointer
    private var running: [UInt64: Transfer] = [:]
    private var waiting: [Inbox.Order] = []

    static let stopped = OutboundFailure(.unavailable, "The request was aborted because the program is ending.")

    init(_ settings: OutboundSettings, _ inbox: Inbox) {
        self.settings = settings
        self.inbox = inbox
        multi = inbox.handle.pointer
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, settings.mostAtOnce)
    }

    /// Runs until the client is stopped.
    func run() {
        while executeOrders() {
            startWaiting()
            var active: Int32 = 0
            ccurl_multi_perform(multi, &active)
            finishDone()
            guard waiting.isEmpty || running.count >= settings.mostAtOnce else { continue }
            ccurl_multi_poll(multi, nil, 0, untilNextDeadline(), nil)
        }
        for transfer in running.values { remove(transfer, with: Self.stopped) }
        for order in waiting { order.receive(.ended(Self.stopped)) }
        for order in inbox.close().orders { order.receive(.ended(Self.stopped)) }
    }

    /// Processes the inbox. Returns false if the loop must end.
    private func executeOrders() -> Bool {
        let content = inbox.removeAll()
        for order in content.orders {
            if let fault = order.request.fault {
                order.receive(.ended(OutboundFailure(.request, fault)))
            } else if waiting.count >= settings.mostWaiting, running.count >= settings.mostAtOnce {
                order.receive(
                    .ended(
                        OutboundFailure(
                            .unavailable,
                            "\(settings.mostWaiting) outbound requests are already waiting. Try again later.")))
            } else {
                waiting.append(order)
            }
        }
        let cancelled = OutboundFailure(.cancelled, "The request was cancelled.")
        for id in content.cancelled {
            if let transfer = running[id] {
                remove(transfer, with: cancelled)
            } else if let index = waiting.firstIndex(where: { $0.id == id }) {
                waiting.remove(at: index).receive(.ended(cancelled))
            }
        }
        return !content.isStopping
    }

    private func startWaiting() {
        let now = ContinuousClock.now
        waiting.removeAll { order in
            guard order.deadline <= now else { return false }
            order.receive(
                .ended(
                    OutboundFailure(
                        .time,
                        "\(order.request.url.origin) was not contacted in time, because too many requests were waiting. Try "
                            + "again later.")))
            return true
        }
        let count = min(waiting.count, max(0, settings.mostAtOnce - running.count))
        for order in waiting.prefix(count) { start(order) }
        waiting.removeFirst(count)
    }

    private func start(_ order: Inbox.Order) {
        guard let transfer = Transfer(order, settings) else {
            return order.receive(
                .ended(
                    OutboundFailure(
                        .unavailable, "There is not enough memory for a request to \(order.request.url.origin).")))
        }
        running[order.id] = transfer
        send(transfer)
    }

    /// Sends a transfer's first request, or the request that follows a redirect.
    private func send(_ transfer: Transfer) {
        if let failure = transfer.prepare() {
            running[transfer.id] = nil
            return transfer.finish(failure)
        }
        guard ccurl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
            running[transfer.id] = nil
            return transfer.finish(
                OutboundFailure(.unavailable, "There is not enough memory to start a request with libcurl."))
        }
    }

    private func remove(_ transfer: Transfer, with failure: OutboundFailure) {
        ccurl_multi_remove_handle(multi, transfer.easy)
        running[transfer.id] = nil
        transfer.finish(failure)
    }

    private func finishDone() {
        var count: Int32 = 0
        while let message = ccurl_multi_info_read(multi, &count) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let result = ccurl_message_result(message)
            var context: UnsafeMutableRawPointer?
            ccurl_get_private(easy, &context)
            guard let context else { continue }
            let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
            let outcome = transfer.outcome(result)
            ccurl_multi_remove_handle(multi, easy)
            switch outcome {
            case .again: send(transfer)
            case .ended(let failure):
                running[transfer.id] = nil
                transfer.finish(failure)
            }
        }
    }

    /// Returns the milliseconds until the next deadline. libcurl returns earlier if one of its own time-outs expires.
    ///
    /// libcurl 7.88.1 missed such a time-out once in thousands of requests. On a machine that stalled for a long time,
    /// a request with a limit of 300 ms ended only at the end of this wait. While any request is running, the loop
    /// therefore checks the time limits four times a second.
    private func untilNextDeadline() -> Int32 {
        let longest: Int32 = running.isEmpty ? 60_000 : 250
        guard let first = waiting.map(\.deadline).min() else { return longest }
        return min(longest, Int32(clamping: max(0, Int64((first - .now) / .milliseconds(1)) + 1)))
    }
}
