// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventLoop
import Glibc

/// A connection to an instance, which is opened for one request and kept alive for further requests where possible.
final class UpstreamConnection: ReadinessHandler {
    let address: InstanceAddress
    private let socket: Socket
    private unowned let client: UpstreamClient
    private var watch: EventLoop.Watch?
    private var wanted: Readiness = []
    /// The transfer that uses the connection; nil while it is idle.
    private var transfer: UpstreamTransfer?
    private var isConnecting = false
    private var connectTimer: LoopTimer?
    private var isSending = false
    /// The start of the last transfer, from which the idle time is counted. The instance begins to count when it
    /// responds. The response may wait in the kernel before the gateway reads it, so the time of reading would be too
    /// late.
    private var usedSince: MonotonicTime
    /// The time until which another request may be sent. After this time, the instance may be about to close the
    /// connection.
    private(set) var usableUntil = MonotonicTime.distantFuture
    /// The number of the loop's pass that was running when the connection became idle.
    private var restedIn: UInt64 = 0
    /// The reason why nothing more can be sent. The failure is reported at the end of the pass.
    private var failure: TransferState.ConnectionEnd?

    /// Creates a connection for a socket.
    init(_ socket: Socket, to address: InstanceAddress, client: UpstreamClient) {
        self.socket = socket
        self.address = address
        self.client = client
        usedSince = client.loop.now
    }

    /// Opens a connection for a transfer. A failure is reported at the end of the pass.
    static func connect(for transfer: UpstreamTransfer, client: UpstreamClient) -> UpstreamConnection {
        let address = transfer.address
        do throws(SystemCallError) {
            let connection = UpstreamConnection(try open(address, client), to: address, client: client)
            connection.transfer = transfer
            connection.beginConnecting()
            return connection
        } catch {
            let nowhere = UpstreamConnection(Socket(owning: -1), to: address, client: client)
            nowhere.transfer = transfer
            nowhere.fail(error.isLackOfDescriptors ? .outOfDescriptors : .refused)
            return nowhere
        }
    }

    private static func open(_ address: InstanceAddress, _ client: UpstreamClient) throws(SystemCallError) -> Socket {
        do throws(SystemCallError) {
            return try .connecting(to: address.socketAddress, detecting: client.peerLoss)
        } catch {
            guard error.isLackOfDescriptors, client.closeIdle() else { throw error }
            return try .connecting(to: address.socketAddress, detecting: client.peerLoss)
        }
    }

    /// Returns whether the connection is usable for another request.
    ///
    /// The connection must not have expired. As far as the gateway knows, the instance must neither have closed the
    /// connection nor sent unrequested bytes. Such bytes must not become the response to the next request.
    ///
    /// While the connection is idle, the loop receives an event when the instance closes the connection or sends bytes.
    /// This method also checks the socket itself if the loop has not polled since the connection became idle, or if the
    /// request is never sent twice. The check takes a system call. For any other request, this method does not detect
    /// events that occurred after the loop's last poll. If such an event is the end of the connection, the request is
    /// sent again on a new connection. If such an event is the arrival of unrequested bytes, at most one request
    /// receives a wrong response. An HTTP server that sends unrequested bytes also closes the connection (a 408 with
    /// `close`, RFC 9110 §15.5.9).
    func isUsable(for choice: UpstreamRequest.ConnectionChoice) -> Bool {
        guard usableUntil > client.loop.now else { return false }
        return choice == .kept && client.loop.hasDelivered(of: restedIn) || socket.isQuiet
    }

    /// Whether another request can follow on the connection after the response.
    var isSound: Bool { failure == nil && watch != nil }

    /// Returns whether the last request was sent within the given time.
    func isUsed(within time: Duration) -> Bool { usedSince + time >= client.loop.now }

    /// Sends the transfer's request and reads its response.
    func carry(_ transfer: UpstreamTransfer) {
        self.transfer = transfer
        usedSince = client.loop.now
        sendMore()
    }

    /// Resumes reading after a pause.
    func resume() {
        if !isConnecting { want(interest) }
    }

    /// Makes the connection idle after its transfer has ended.
    ///
    /// - Parameter limit: The time after the start of that transfer within which the connection may be reused.
    func becomeIdle(for limit: Duration) {
        transfer = nil
        usableUntil = usedSince + limit
        restedIn = client.loop.pass
        want(.readable)
    }

    func close() {
        detach()
        socket.close()
    }

    /// Detaches the socket from the connection, and returns the socket for a new owner that uses another protocol.
    func handOver() -> Socket {
        detach()
        return socket
    }

    private func detach() {
        transfer = nil
        forgetConnecting()
        stopWatching()
    }

    func ready(_ readiness: Readiness) {
        guard let transfer else {
            client.drop(self)
            return close()
        }
        if isConnecting { return connected() }
        if readiness.contains(.writable) {
            sendMore()
            transfer.uploadLeft()
        }
        // The transfer may have ended while the bytes were sent, so check whether it still exists.
        guard readiness != .writable, self.transfer != nil else { return }
        if wanted.contains(.readable) {
            read()
        } else {
            // Stop watching, because the kernel reports the end even while reading is paused, and reports it again
            // after the pause.
            stopWatching()
        }
    }

    /// Reads the bytes that have arrived so far, even if the loop has not reported them yet.
    func readArrived() {
        // Without this limit, a peer that writes as fast as the gateway reads would block the loop.
        var budget = 16 << 20
        while budget > 0, transfer != nil, !isConnecting, wanted.contains(.readable) {
            let count = read()
            guard count > 0 else { return }
            budget -= count
        }
    }

    /// Reads once; returns the number of received bytes.
    @discardableResult
    private func read() -> Int {
        guard let transfer else { return 0 }
        var received = 0
        switch socket.receive(client.loop.scratch, { transfer.received($0) }) {
        case .bytes(let count):
            received = count
            transfer.readEnded()
        case .nothingYet: break
        case .end: transfer.connectionEnded(.closed)
        case .failed(let code): transfer.connectionEnded(.broken(Self.sentence(code)))
        }
        if self.transfer === transfer { want(interest) }
        return received
    }

    /// Sends as much of the transfer's request as possible.
    func sendMore() {
        guard let transfer, !isConnecting, !isSending, failure == nil else { return }
        isSending = true
        var isFull = false
        while transfer.canSend, !isFull, failure == nil {
            let sent = transfer.send { text, content, lineEnd in
                switch socket.send(text, then: content, then: lineEnd) {
                case .bytes(let count):
                    isFull = count < text.count + content.count + lineEnd.count
                    return count
                case .failed(let code):
                    fail(.broken(Self.sentence(code)))
                    return nil
                }
            }
            if sent == nil { break }
        }
        isSending = false
        want(interest)
        if transfer.isSent { transfer.requestSent() }
    }

    /// The events for which the transfer waits.
    private var interest: Readiness {
        guard let transfer else { return .readable }
        var interest: Readiness = transfer.isPaused ? [] : .readable
        if failure == nil, transfer.canSend { interest.insert(.writable) }
        return interest
    }

    private func want(_ readiness: Readiness) {
        guard let watch else {
            guard socket.descriptor >= 0 else { return }
            wanted = readiness
            watch = try? client.loop.watch(socket.descriptor, for: readiness, handler: self)
            if watch == nil { fail(.broken("the connection's descriptor could not be watched")) }
            return
        }
        guard readiness != wanted else { return }
        do throws(SystemCallError) {
            try client.loop.change(watch, to: readiness)
            wanted = readiness
        } catch {
            fail(.broken("\(error)"))
        }
    }

    private func stopWatching() {
        if let watch { client.loop.cancel(watch) }
        watch = nil
    }

    private static func sentence(_ code: Int32) -> String { String(cString: strerror(code)) }
}

// MARK: - Connecting

extension UpstreamConnection: TimerHandler {
    private func beginConnecting() {
        isConnecting = true
        let timer = client.loop.timer(self)
        connectTimer = timer
        client.loop.arm(timer, after: client.connectTimeout)
        want(.writable)
    }

    private func connected() {
        forgetConnecting()
        guard socket.pendingError == 0 else {
            transfer?.connectionEnded(.refused)
            return
        }
        sendMore()
        // The collected bytes have been sent, so the connection can accept more.
        transfer?.uploadLeft()
    }

    private func forgetConnecting() {
        isConnecting = false
        if let connectTimer { client.loop.cancel(connectTimer) }
        connectTimer = nil
    }

    /// Fails the transfer, because the peer has not accepted the connection in time.
    func timerFired(_ timer: LoopTimer) { transfer?.connectionEnded(.refused) }
}

// MARK: - Failing

extension UpstreamConnection: PassHandler {
    private func fail(_ end: TransferState.ConnectionEnd) {
        guard failure == nil else { return }
        failure = end
        client.loop.atEndOfPass(self)
    }

    /// Reads until the end after a failure to send. An instance that does not need the whole request responds and
    /// closes the connection, so the response may already have arrived.
    func passEnded() {
        guard let transfer, let failure else { return }
        var received = Socket.Received.bytes(0)
        while case .bytes = received, self.transfer === transfer {
            received = socket.receive(client.loop.scratch) { transfer.received($0) }
            if case .bytes = received { transfer.readEnded() }
        }
        guard self.transfer === transfer else { return }
        // A response whose body ends with the connection is complete now, so report a regular end.
        transfer.connectionEnded(received == .end && transfer.hasAnswerBegun ? .closed : failure)
    }
}
