// SPDX-License-Identifier: Apache-2.0

import Addresses
internal import Encodings
import EventLoop
package import HTTPTypes

/// A request to an instance and its response, on one connection at a time.
///
/// ``TransferState`` makes the decisions, and ``OutgoingRequest`` tracks the sent bytes. This class performs the
/// actions and notifies the delegate.
package final class UpstreamTransfer {
    let client: UpstreamClient
    let address: InstanceAddress
    /// The connection that the transfer uses; nil once the transfer has ended.
    private var connection: UpstreamConnection?
    private var state: TransferState
    private var outgoing: OutgoingRequest
    /// The index of the transfer in the client's list of running transfers.
    var listIndex = 0
    /// The delegate of the transfer; nil after the last call to it.
    private(set) var delegate: (any UpstreamDelegate)?
    private var isRunning = true
    /// Whether the delegate has requested a pause.
    private(set) var isPaused = false
    /// The bytes received after a 101 response.
    private var early: [UInt8] = []

    /// Sends the request on the kept connection `kept`, or on a new connection if `kept` is nil.
    init(
        _ request: borrowing UpstreamRequest, on kept: UpstreamConnection?, client: UpstreamClient,
        delegate: any UpstreamDelegate
    ) {
        self.client = client
        address = request.instance
        self.delegate = delegate
        state = TransferState(request, onKeptConnection: kept != nil)
        outgoing = OutgoingRequest(request, authority: client.authority(of: address), in: &client.textPool)
        if let kept {
            connection = kept
            kept.carry(self)
        } else {
            connection = .connect(for: self, client: client)
        }
    }

    // MARK: For the delegate

    /// The number of bytes of the request's body that were not sent yet.
    package var waitingUpload: Int { outgoing.waitingContent }

    /// Adds bytes of a streamed request body and empties their queue.
    package func upload(_ bytes: inout ByteQueue) {
        outgoing.append(&bytes)
        connection?.sendMore()
    }

    /// Marks the streamed request body as complete.
    package func finishUpload() {
        outgoing.finishContent()
        connection?.sendMore()
    }

    /// Continues after the delegate has requested a pause.
    package func resume() {
        guard isPaused, isRunning else { return }
        isPaused = false
        connection?.resume()
    }

    /// Passes on the bytes that have arrived so far, before the loop reports them. Do not call this method during a
    /// call to the delegate.
    package func readArrived() { connection?.readArrived() }

    /// Ends the transfer and closes its connection. The delegate receives no further calls.
    package func cancel() {
        delegate = nil
        guard isRunning else { return }
        isRunning = false
        connection?.close()
        connection = nil
        client.forget(self)
    }

    // MARK: For the connection

    /// Whether a part of the request can be sent now.
    var canSend: Bool { outgoing.canSend() }
    /// Whether the whole request was sent.
    var isSent: Bool { outgoing.isSent() }

    /// Calls `write` with the next bytes. `write` returns the number of bytes sent; see ``OutgoingRequest/send(_:)``.
    func send(_ write: (Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Int?) -> Int? { outgoing.send(write) }

    /// Notifies the delegate that a part of the request was sent and that there is room for more.
    func uploadLeft() {
        if isRunning, outgoing.isStreamed { delegate?.uploadHasRoom() }
    }

    /// Handles the end of the request's transmission.
    func requestSent() {
        if isRunning, !state.isRequestSent { perform(state.requestSent()) }
    }

    /// Processes bytes from the connection. Call ``readEnded()`` afterwards.
    func received(_ bytes: Span<UInt8>) {
        state.lend(from: &client.fieldPool)
        var index = 0
        while index < bytes.count {
            let begun = state.parse(bytes, from: &index) { content in
                // Nothing else may access `state` during this call. The methods that the delegate may call do not
                // access `state`.
                guard isRunning, let delegate else { return }
                if !delegate.answerBody(content) { isPaused = true }
            }
            guard case (let head, let framing)? = begun else { break }
            // The text is not needed again, because a request is repeated only if no byte of a response has arrived.
            client.textPool.release(outgoing.removeText())
            // The head is consumed, so that the delegate can remove fields without copying it.
            delegate?.answerHead(consume head, framing)
            guard isRunning else { return }
        }
        if index < bytes.count, state.switching != nil { early.append(copying: bytes.extracting(index...)) }
    }

    /// Whether the response's head has arrived.
    var hasAnswerBegun: Bool { state.status != 0 }

    /// Performs the action after all bytes of one read were processed.
    func readEnded() {
        guard isRunning else { return }
        let action = state.readEnded()
        if action == .wait { delegate?.answerSettled() } else { perform(action) }
    }

    /// Handles the end or failure of the connection.
    func connectionEnded(_ end: TransferState.ConnectionEnd) {
        if isRunning { perform(state.ended(end)) }
    }

    private func perform(_ action: TransferState.Action) {
        switch action {
        case .wait: break
        case .sendAgain:
            connection?.close()
            outgoing.rewind()
            connection = .connect(for: self, client: client)
        case .finish(let keepsConnection):
            let carrier = finish()
            if let carrier {
                if keepsConnection, carrier.isSound { client.keep(carrier, state.idleLimit) } else { carrier.close() }
            }
            removeDelegate()?.answerEnded(trailers: state.trailers())
        case .fail(let failure):
            finish()?.close()
            removeDelegate()?.answerFailed(failure)
        case .handOver:
            guard let socket = finish()?.handOver(), let head = state.switching else { return }
            removeDelegate()?.switched(head, socket, early: early)
        }
    }

    /// Ends the transfer and returns its connection.
    private func finish() -> UpstreamConnection? {
        isRunning = false
        client.textPool.release(outgoing.removeText())
        client.forget(self)
        defer { connection = nil }
        return connection
    }

    /// Removes and returns the delegate for its last notification.
    private func removeDelegate() -> (any UpstreamDelegate)? {
        defer { delegate = nil }
        return delegate
    }
}
