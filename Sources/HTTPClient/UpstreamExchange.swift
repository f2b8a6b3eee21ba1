import EventLoop
package import HTTPTypes

/// One request to an instance and its answer.
///
/// Until the answer's head is there, libcurl carries it. An event stream then leaves libcurl: its socket is read
/// directly, so that an idle stream costs a few hundred bytes and libcurl's list of connections stays short. The
/// follower sees no difference.
package final class UpstreamExchange {
    enum State {
        case running
        /// The follower has been told the end.
        case ended
    }

    /// What becomes of bytes that libcurl offers.
    enum Intake {
        case taken, later, stop
    }

    let client: UpstreamClient
    let method: Method
    let hasBody: Bool
    let isStreamed: Bool
    let mayUpgrade: Bool
    var handle: EasyHandle?
    /// The descriptor of the connection that libcurl uses for this exchange.
    var descriptor: Int32 = -1
    /// Where the exchange stands in the client's list of running ones.
    var listIndex = 0
    /// Who is told; nil once nothing more will come.
    private var follower: (any UpstreamFollower)?

    var state = State.running
    var headReader = ResponseHeadReader()
    var headLine: [UInt8] = []
    /// The answer's status, 0 until its head is there.
    var status = 0
    /// Whether the answer says that its connection ends with it.
    var isLastOnConnection = false
    var framing = ResponseFraming.none
    var bodyReader = ResponseBodyReader(.none)
    var fault: UpstreamFailure?
    private var attempts = 0
    /// While libcurl connects.
    var connectTimer: LoopTimer?
    /// Whether the follower has asked to pause.
    private(set) var isPaused = false
    var uploadQueue = ByteQueue()
    var isUploadComplete = false
    private var isUploadWaiting = false
    var early: [UInt8] = []
    /// Whether the answer was read after libcurl had given up.
    var isSalvaged = false
    /// The connection, once the instance has switched protocols.
    private var switched: (socket: Socket, head: ResponseHead)?
    var stream: UpstreamStream?
    /// Whether libcurl has closed the connection while the exchange was ending.
    var connectionWasClosed = false

    init(client: UpstreamClient, request: borrowing UpstreamRequest, follower: any UpstreamFollower) {
        self.client = client
        method = request.method
        hasBody = request.hasBody
        isStreamed = request.isStreamed
        mayUpgrade = request.mayUpgrade
        self.follower = follower
    }

    // MARK: For the follower

    /// Bytes of the request's body that have not left yet.
    package var waitingUpload: Int { uploadQueue.count }

    /// Hands over bytes of a streamed request body; the queue is empty afterwards.
    package func upload(_ bytes: inout ByteQueue) {
        uploadQueue.append(moving: &bytes)
        wakeUpload()
    }

    /// The streamed request body is whole.
    package func finishUpload() {
        isUploadComplete = true
        wakeUpload()
    }

    /// Goes on after the follower has asked to pause. Bytes may arrive before this returns.
    package func resume() {
        guard isPaused, state == .running else { return }
        isPaused = false
        if let stream { stream.resume() } else { client.unpause(self, receiving: true, sending: !isUploadWaiting) }
    }

    /// Ends the exchange and closes its connection; the follower hears nothing more.
    package func cancel() {
        follower = nil
        guard state == .running else { return }
        state = .ended
        stream?.close()
        stream = nil
        client.release(self)
    }

    private func wakeUpload() {
        guard isUploadWaiting, state == .running else { return }
        isUploadWaiting = false
        client.unpause(self, receiving: !isPaused, sending: true)
    }

    // MARK: libcurl's side

    /// A request goes out for the first time, or once more where libcurl has found its kept-alive connection closed.
    func mayAttempt() -> Bool {
        forgetConnecting()
        attempts += 1
        connectionWasClosed = false
        return attempts <= 2
    }

    /// Takes what libcurl has read: the head's lines, then the body.
    func received(_ bytes: Span<UInt8>) -> Intake {
        guard state == .running else { return .stop }
        guard status == 0 else { return receivedBody(bytes) }
        return receivedHead(bytes) ? .taken : .stop
    }

    /// libcurl hands over one line at a time, and a long one in pieces.
    func receivedHead(_ bytes: Span<UInt8>) -> Bool {
        let isLineEnd = bytes[bytes.count - 1] == UInt8(ascii: "\n")
        if isLineEnd, headLine.isEmpty { return receivedHeadLine(bytes) }
        headLine.append(bytes)
        guard isLineEnd else { return true }
        let line = headLine
        headLine = []
        return receivedHeadLine(line.span)
    }

    private func receivedHeadLine(_ line: Span<UInt8>) -> Bool {
        do throws(ResponseHeadReader.Fault) {
            switch try headReader.read(line: line) {
            case .needsMore, .interim: return true
            case .complete(let head): return begin(head)
            case .switching(let head): return switchProtocols(head)
            }
        } catch {
            fault = .badAnswer(error.rawValue)
            return false
        }
    }

    private func begin(_ head: consuming ResponseHead) -> Bool {
        do throws(ResponseFraming.Fault) {
            framing = try ResponseFraming.of(head, to: method)
        } catch {
            fault = .badAnswer("its framing is ambiguous (\(error))")
            return false
        }
        status = head.status
        isLastOnConnection = head.fields.contains(.close, in: .connection)
        bodyReader = ResponseBodyReader(framing)
        let isStream = head.isEventStream && framing != .none
        follower?.answerHead(head, framing)
        // Also where libcurl reads on its timer's behalf, which it does when an answer overtakes the news of the
        // connection.
        client.settleAfterAction(self)
        // Of a request with a body libcurl awaits an answer with one, also where the method is HEAD.
        if method == .head && hasBody || bodyReader.isComplete && isUploadRefused {
            client.finishAfterAction(self)
        }
        if isStream { client.takeSocketAfterAction(of: self) }
        return state == .running
    }

    private func switchProtocols(_ head: ResponseHead) -> Bool {
        guard mayUpgrade else {
            fault = .badAnswer("it switches protocols, which nobody asked for")
            return false
        }
        // A descriptor of our own: libcurl reads on, and closes its own should the instance have finished sending
        // already.
        guard let own = try? SocketOptions.duplicate(descriptor) else {
            fault = .noAnswer("no descriptor is left for its connection")
            return false
        }
        status = head.status
        switched = (Socket(owning: own), head)
        client.finishAfterAction(self)
        return true
    }

    func receivedBody(_ bytes: Span<UInt8>) -> Intake {
        if switched != nil {
            early.append(bytes)
            return .taken
        }
        guard !isPaused else { return .later }
        return read(bytes) ? .taken : .stop
    }

    /// Passes content on; false where the body is broken or the exchange has ended.
    func read(_ bytes: Span<UInt8>) -> Bool {
        do throws(ResponseBodyReader.Fault) {
            try bodyReader.read(bytes) { content in
                guard state == .running, let follower else { return }
                if !follower.answerBody(content) { isPaused = true }
            }
        } catch {
            fault = .brokenBody(Self.sentence(error))
            return false
        }
        // Only libcurl knows the end of a body with a length before the connection may be used again.
        if bodyReader.isComplete, framing == .chunked || isUploadRefused, stream == nil {
            client.finishAfterAction(self)
        }
        return state == .running
    }

    func takeUpload(into memory: UnsafeMutableRawBufferPointer) -> Int? {
        guard !uploadQueue.isEmpty else {
            if isUploadComplete { return 0 }
            isUploadWaiting = true
            return nil
        }
        let count = min(memory.count, uploadQueue.count)
        uploadQueue.withBytes { bytes in
            bytes.extracting(0..<count).withUnsafeBytes { memory.copyMemory(from: $0) }
        }
        uploadQueue.removeFirst(count)
        follower?.uploadDrained()
        return count
    }

    /// Everything that one read has brought was told.
    func actionEnded() {
        if state == .running { follower?.answerSettled() }
    }

    /// libcurl has ended the transfer, or nothing more than the last chunk was awaited.
    func finish(_ result: TransferResult) {
        guard state == .running else { return client.release(self) }
        if let switched { return handOver(switched.socket, switched.head) }
        let failure = fault ?? failure(result)
        state = .ended
        stream?.close()
        stream = nil
        client.release(self)
        let listener = follower
        follower = nil
        if let failure {
            listener?.answerFailed(failure)
        } else {
            listener?.answerEnded(trailers: bodyReader.trailers)
        }
    }

    private func handOver(_ socket: Socket, _ head: ResponseHead) {
        state = .ended
        client.release(self)
        let listener = follower
        follower = nil
        listener?.switched(head, socket, early: early)
    }
}
