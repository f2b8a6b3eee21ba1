import Addresses
import EventLoop
package import HTTPTypes

/// One request to an instance and its answer, on one connection at a time.
///
/// ``TransferState`` decides, ``OutgoingRequest`` knows what has left; here their decisions are carried out and told to the
/// follower.
package final class UpstreamTransfer {
    let client: UpstreamClient
    let address: InstanceAddress
    /// The connection that carries the transfer; nil once it has ended.
    private var connection: UpstreamConnection?
    private var state: TransferState
    private var outgoing: OutgoingRequest
    /// Where the transfer stands in the client's list of running ones.
    var listIndex = 0
    /// Who is told; nil once nothing more will come.
    private(set) var follower: (any UpstreamDelegate)?
    private var isRunning = true
    /// Whether the follower has asked to pause.
    private(set) var isPaused = false
    /// What came behind a 101.
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

    // MARK: For the follower

    /// Bytes of the request's body that have not left yet.
    package var waitingUpload: Int { outgoing.waitingContent }

    /// Hands over bytes of a streamed request body; the queue is empty afterwards.
    package func upload(_ bytes: inout ByteQueue) {
        outgoing.append(&bytes)
        connection?.sendMore()
    }

    /// The streamed request body is whole.
    package func finishUpload() {
        outgoing.finishContent()
        connection?.sendMore()
    }

    /// Goes on after the follower has asked to pause.
    package func resume() {
        guard isPaused, isRunning else { return }
        isPaused = false
        connection?.resume()
    }

    /// Hands over what has arrived by now, before the loop tells of it. Not from within a call of the follower's.
    package func readArrived() { connection?.readArrived() }

    /// Ends the transfer and closes its connection; the follower hears nothing more.
    package func cancel() {
        follower = nil
        guard isRunning else { return }
        isRunning = false
        connection?.close()
        connection = nil
        client.forget(self)
    }

    // MARK: For the connection

    /// Whether something of the request can leave now.
    var canSend: Bool { outgoing.canSend() }
    /// Whether all of it has left.
    var isSent: Bool { outgoing.isSent() }

    /// Lends what goes next to `write`, which answers how many bytes have left; see ``OutgoingRequest/send(_:)``.
    func send(_ write: (Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Int?) -> Int? { outgoing.send(write) }

    /// Some of the request has left, because there was room for it again.
    func uploadLeft() {
        if isRunning, outgoing.isStreamed { follower?.uploadHasRoom() }
    }

    /// All of the request has left.
    func requestSent() {
        if isRunning, !state.isRequestSent { perform(state.requestSent()) }
    }

    /// The connection has brought bytes; what they end is decided by ``readEnded()``.
    func received(_ bytes: Span<UInt8>) {
        state.lend(from: &client.spareFields)
        var index = 0
        while index < bytes.count {
            let begun = state.read(bytes, from: &index) { content in
                // Nobody else may touch `state` meanwhile: what the follower can call here does not.
                guard isRunning, let follower else { return }
                if !follower.answerBody(content) { isPaused = true }
            }
            guard case (let head, let framing)? = begun else { break }
            // The text is not needed again: a request is repeated before any byte of an answer only.
            client.spareTexts.giveBack(outgoing.takeText())
            // Given away: the follower takes fields out, which would else be done in a copy.
            follower?.answerHead(consume head, framing)
            guard isRunning else { return }
        }
        if index < bytes.count, state.switching != nil { early.append(bytes.extracting(index...)) }
    }

    /// Whether the answer's head is there.
    var hasAnswerBegun: Bool { state.status != 0 }

    /// All that one read has brought was taken in.
    func readEnded() {
        guard isRunning else { return }
        let action = state.readEnded()
        if action == .wait { follower?.answerSettled() } else { perform(action) }
    }

    /// The connection was closed or has broken.
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

    /// Lets go of the connection.
    private func end() -> UpstreamConnection? {
        isRunning = false
        client.spareTexts.giveBack(outgoing.takeText())
        client.forget(self)
        defer { connection = nil }
        return connection
    }

    /// The follower, to be told the last thing.
    private func leave() -> (any UpstreamDelegate)? {
        defer { follower = nil }
        return follower
    }
}
