// SPDX-License-Identifier: Apache-2.0

import Addresses
internal import Encodings
import EventLoop
package import HTTPTypes

/// One request to an instance and its response, on one connection at a time.
///
/// ``TransferState`` makes the decisions and ``OutgoingRequest`` tracks what was sent. This class performs their
/// decisions and notifies the delegate.
package final class UpstreamTransfer {
    let client: UpstreamClient
    let address: InstanceAddress
    /// The connection that carries the transfer; nil once it has ended.
    private var connection: UpstreamConnection?
    private var state: TransferState
    private var outgoing: OutgoingRequest
    /// The index of the transfer in the client's list of running ones.
    var listIndex = 0
    /// The delegate of the transfer; nil once nothing more will come.
    private(set) var follower: (any UpstreamDelegate)?
    private var isRunning = true
    /// Whether the delegate has requested a pause.
    private(set) var isPaused = false
    /// The bytes received after a 101.
    private var early: [UInt8] = []

    /// Sends the request on a connection that was kept alive, or else on a new one.
    init(
        _ request: borrowing UpstreamRequest, on kept: UpstreamConnection?, client: UpstreamClient,
        follower: any UpstreamDelegate
    ) {
        self.client = client
        address = request.instance
        self.follower = follower
        state = TransferState(request, onKeptConnection: kept != nil)
        outgoing = OutgoingRequest(request, authority: client.authority(of: address), in: &client.spareTexts)
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

    /// Adds bytes of a streamed request body; the queue is empty afterwards.
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

    /// Passes on the bytes that have arrived by now, before the loop reports them. Must not be called from within a
    /// call to the delegate.
    package func readArrived() { connection?.readArrived() }

    /// Ends the transfer and closes its connection; the delegate receives no more calls.
    package func cancel() {
        follower = nil
        guard isRunning else { return }
        isRunning = false
        connection?.close()
        connection = nil
        client.forget(self)
    }

    // MARK: For the connection

    /// Whether some of the request can be sent now.
    var canSend: Bool { outgoing.canSend() }
    /// Whether all of the request was sent.
    var isSent: Bool { outgoing.isSent() }

    /// Lends the next bytes to `write`, which returns the number of bytes sent; see ``OutgoingRequest/send(_:)``.
    func send(_ write: (Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Int?) -> Int? { outgoing.send(write) }

    /// Notifies the delegate that some of the request was sent, because there was room again.
    func uploadLeft() {
        if isRunning, outgoing.isStreamed { follower?.uploadHasRoom() }
    }

    /// Handles that all of the request was sent.
    func requestSent() {
        if isRunning, !state.isRequestSent { perform(state.requestSent()) }
    }

    /// Processes bytes from the connection; ``readEnded()`` decides about an end.
    func received(_ bytes: Span<UInt8>) {
        state.lend(from: &client.spareFields)
        var index = 0
        while index < bytes.count {
            let begun = state.read(bytes, from: &index) { content in
                // Nothing else may access `state` meanwhile: the methods that the delegate can call here do not.
                guard isRunning, let follower else { return }
                if !follower.answerBody(content) { isPaused = true }
            }
            guard case (let head, let framing)? = begun else { break }
            // The text is not needed again: a request is repeated only before any byte of a response.
            client.spareTexts.giveBack(outgoing.takeText())
            // Consumed: the delegate removes fields, which would otherwise happen in a copy.
            follower?.answerHead(consume head, framing)
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
        if action == .wait { follower?.answerSettled() } else { perform(action) }
    }

    /// Handles that the connection was closed or has failed.
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
            let carrier = end()
            if let carrier {
                if keepsConnection, carrier.isSound { client.keep(carrier, state.longestRest) } else { carrier.close() }
            }
            leave()?.answerEnded(trailers: state.trailers())
        case .fail(let failure):
            end()?.close()
            leave()?.answerFailed(failure)
        case .handOver:
            guard let socket = end()?.handOver(), let head = state.switching else { return }
            leave()?.switched(head, socket, early: early)
        }
    }

    /// Ends the transfer and returns its connection.
    private func end() -> UpstreamConnection? {
        isRunning = false
        client.spareTexts.giveBack(outgoing.takeText())
        client.forget(self)
        defer { connection = nil }
        return connection
    }

    /// Removes and returns the delegate for its last notification.
    private func leave() -> (any UpstreamDelegate)? {
        defer { follower = nil }
        return follower
    }
}
