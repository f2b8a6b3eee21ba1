import EventLoop
package import HTTPTypes

/// One request to an instance and its answer.
///
/// A request that may be repeated is carried by a connection of the gateway's own (``UpstreamSocket``), any other by
/// libcurl. The follower sees no difference.
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
    /// The request as it goes on the wire, while it may have to be sent (again) on a connection of our own.
    private(set) var request: [UInt8] = []
    let port: UInt16
    /// The transfer that carries the exchange, where libcurl does.
    var handle: EasyHandle?
    /// The connection that carries it, where libcurl does not.
    var socket: UpstreamSocket?
    /// Whether the connection was kept alive from an earlier exchange and has not answered yet: should it turn out to be
    /// closed, the request goes out once more.
    var mayRetry = false
    /// The descriptor of the connection that libcurl uses for this exchange.
    var descriptor: Int32 = -1
    /// Where the exchange stands in the client's list of running ones.
    var listIndex = 0
    /// Who is told; nil once nothing more will come.
    private(set) var follower: (any UpstreamFollower)?

    var state = State.running
    var headReader = ResponseHeadReader()
    /// The answer's status, 0 until its head is there.
    var status = 0
    /// Whether the answer says that its connection ends with it.
    var isLastOnConnection = false
    /// How long the answer says that its connection may rest before the next request.
    var longestRest: Duration?
    var framing = ResponseFraming.none
    var isStream = false
    var bodyReader = ResponseBodyReader(.none)
    var fault: UpstreamFailure?
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
    /// Whether libcurl has closed the connection while the exchange was ending.
    var connectionWasClosed = false

    init(client: UpstreamClient, request: borrowing UpstreamRequest, follower: any UpstreamFollower) {
        self.client = client
        method = request.method
        hasBody = request.hasBody
        isStreamed = request.isStreamed
        mayUpgrade = request.mayUpgrade
        port = request.port
        self.follower = follower
    }

    // MARK: Beginning

    /// Sends the request on a connection of our own: on one that was kept alive, or else on a new one.
    func begin(with request: borrowing UpstreamRequest) {
        self.request = client.takeSpareRequest()
        request.write(to: &self.request)
        if let kept = client.takeKept(port) {
            mayRetry = true
            socket = kept
            kept.carry(self)
        } else {
            socket = client.connect(self, port)
        }
    }

    /// A kept-alive connection was closed under the request, and nobody can tell whether it was read: it may be repeated
    /// (RFC 9110 §9.2.2), on a connection that cannot be stale.
    func retry() {
        mayRetry = false
        socket?.close()
        socket = client.connect(self, port)
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
        if let socket { socket.resume() } else { client.unpause(self, receiving: true, sending: !isUploadWaiting) }
    }

    /// Ends the exchange and closes its connection; the follower hears nothing more.
    package func cancel() {
        follower = nil
        guard state == .running else { return }
        state = .ended
        socket?.close()
        socket = nil
        client.giveBack(&request)
        client.release(self)
    }

    private func wakeUpload() {
        guard isUploadWaiting, state == .running else { return }
        isUploadWaiting = false
        client.unpause(self, receiving: !isPaused, sending: true)
    }

    // MARK: libcurl's side

    /// Takes what libcurl has read: the head's lines, then the body.
    func received(_ bytes: Span<UInt8>) -> Intake {
        guard state == .running else { return .stop }
        guard status == 0 else { return receivedBody(bytes) }
        return receivedHead(bytes) == nil ? .stop : .taken
    }

    /// Reads the head; answers how many of the bytes were the head's, or nil where it can't be used or the exchange has
    /// ended with it.
    func receivedHead(_ bytes: Span<UInt8>) -> Int? {
        var count = 0
        do throws(ResponseHeadReader.Fault) {
            while count < bytes.count {
                switch try headReader.read(bytes, from: &count) {
                case .needsMore: return count
                case .interim: continue
                case .complete(let head): return begin(head, isFollowed: count < bytes.count) ? count : nil
                case .switching(let head): return switchProtocols(head) ? count : nil
                }
            }
            return count
        } catch {
            fault = .badAnswer(error.rawValue)
            return nil
        }
    }

    private func begin(_ head: consuming ResponseHead, isFollowed: Bool) -> Bool {
        do throws(ResponseFraming.Fault) {
            framing = try ResponseFraming.of(head, to: method)
        } catch {
            fault = .badAnswer("its framing is ambiguous (\(error))")
            return false
        }
        // Known before the client is told anything.
        guard framing != .none || !isFollowed else {
            fault = .badAnswer(Self.sentence(.excess))
            return false
        }
        status = head.status
        if let socket {
            if socket.hasSentAll { client.giveBack(&request) }
            longestRest = KeepAliveField.longestRest(head.fields)
        }
        isLastOnConnection = head.fields.contains(.close, in: .connection)
        bodyReader = ResponseBodyReader(framing)
        isStream = head.isEventStream && framing != .none
        follower?.answerHead(head, framing)
        guard handle != nil else { return state == .running }
        // Also where libcurl reads on its timer's behalf, which it does when an answer overtakes the news of the
        // connection.
        client.settleAfterAction(self)
        // Of a request with a body libcurl awaits an answer with one, also where the method is HEAD.
        if method == .head && hasBody || bodyReader.isComplete && isUploadRefused {
            client.finishAfterAction(self)
        }
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
        if bodyReader.isComplete, framing == .chunked || isUploadRefused, handle != nil {
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
        handle?.endKeptConnection()
        leaveSocket(failure)
        client.giveBack(&request)
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
