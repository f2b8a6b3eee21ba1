import HTTPTypes

/// What one transfer decides, from the bytes and the ends that its connection brings. Pure.
///
///     request leaves ──► 1xx are dropped ──► head ──► body ──► .finish
///        │ the connection ends before a byte                └► the connection ends within it: .fail
///        └► .sendAgain, once, where that does no harm; else .fail
///
/// Whoever drives it calls ``read(_:from:content:)`` until all bytes of one read are taken, then ``readEnded()``, and does
/// what that says.
struct TransferState {
    /// What is to be done.
    enum Action: Equatable {
        /// Nothing: more is awaited.
        case wait
        /// The answer is whole: tell the follower, and keep the connection for another request or close it.
        case finish(keepsConnection: Bool)
        /// Tell the follower and close the connection.
        case fail(UpstreamFailure)
        /// Send the request once more, on a fresh connection.
        case sendAgain
        /// The instance has switched protocols: the connection is the follower's.
        case handOver
    }

    /// How a connection ends.
    enum ConnectionEnd: Equatable {
        /// Nobody has accepted it.
        case refused
        /// None could be opened.
        case outOfDescriptors
        /// The instance will send nothing more.
        case closed
        /// It broke; how, in the system's words.
        case broken(String)
    }

    private let method: Method
    private let isStreamed: Bool
    private let mayUpgrade: Bool
    private let choice: UpstreamRequest.ConnectionChoice
    /// Whether the connection was kept alive from an earlier request and has not brought a byte yet.
    private var mayBeStale: Bool
    private var reader = ResponseHeadReader()
    private var body = ResponseBodyReader(.none)
    private var fault: UpstreamFailure?
    /// The head of a 101, which ``Action/handOver`` is about.
    private(set) var switching: ResponseHead?
    private var isEventStream = false
    private var saysClose = false

    /// The answer's status, 0 until its head is there.
    private(set) var status = 0
    /// How long the instance says that the connection may rest before the next request.
    private(set) var longestRest: Duration?
    /// Whether all of the request has left.
    var isRequestSent = false

    /// The state before a request is sent, on a connection that was kept alive or on a fresh one.
    init(_ request: borrowing UpstreamRequest, onKeptConnection: Bool) {
        method = request.method
        isStreamed = request.isStreamed
        mayUpgrade = request.mayUpgrade
        choice = request.connectionChoice
        mayBeStale = onKeptConnection
    }

    // What a driver asks of its own state for each request is `mutating`: so it is called in place, and not on a copy.

    /// The trailer fields of an answer that is whole.
    mutating func trailers() -> FieldList { body.trailers }

    /// Takes memory for the answer's head, which has not begun.
    mutating func lend(from spare: inout FieldListPool) {
        if status == 0 { reader.lend(from: &spare) }
    }

    /// Reads bytes from `index` on and hands each run of the body's content to `content`. Returns when the bytes are taken, or
    /// earlier with the answer's head, which has to be told before the rest is read.
    mutating func read(
        _ bytes: Span<UInt8>, from index: inout Int, content: (Span<UInt8>) -> Void
    ) -> (head: ResponseHead, framing: ResponseFraming)? {
        mayBeStale = false
        if status == 0 { return readHead(bytes, from: &index) }
        // What follows a 101 is the other protocol's.
        guard fault == nil, switching == nil else { return nil }
        let rest = bytes.extracting(index...)
        index = bytes.count
        do throws(ResponseBodyReader.Fault) {
            try body.read(rest, content: content)
        } catch {
            fault = .brokenBody(error.sentence)
        }
        return nil
    }

    private mutating func readHead(
        _ bytes: Span<UInt8>, from index: inout Int
    ) -> (head: ResponseHead, framing: ResponseFraming)? {
        do throws(ResponseHeadReader.Fault) {
            while index < bytes.count {
                switch try reader.read(bytes, from: &index) {
                case .needsMore: return nil
                case .interim: continue
                case .complete(let head): return begin(head, isFollowed: index < bytes.count)
                case .switching(let head): return switchProtocols(head)
                }
            }
        } catch {
            fault = .badAnswer(error.rawValue)
        }
        return nil
    }

    private mutating func begin(
        _ head: ResponseHead, isFollowed: Bool
    ) -> (head: ResponseHead, framing: ResponseFraming)? {
        let framing: ResponseFraming
        do throws(ResponseFraming.Fault) {
            framing = try ResponseFraming.of(head, to: method)
        } catch {
            fault = .badAnswer("its framing is ambiguous (\(error))")
            return nil
        }
        // Known before the client is told anything.
        guard framing != .none || !isFollowed else {
            fault = .badAnswer(ResponseBodyReader.Fault.excess.sentence)
            return nil
        }
        status = head.status
        longestRest = KeepAliveField.longestRest(head.fields)
        saysClose = head.fields.contains(.close, in: .connection)
        isEventStream = head.isEventStream && framing != .none
        body = ResponseBodyReader(framing)
        return (head, framing)
    }

    private mutating func switchProtocols(_ head: ResponseHead) -> (ResponseHead, ResponseFraming)? {
        guard mayUpgrade else {
            fault = .badAnswer("it switches protocols, which nobody asked for")
            return nil
        }
        status = head.status
        switching = head
        return nil
    }

    /// All bytes of one read were taken.
    mutating func readEnded() -> Action {
        if let fault { return .fail(fault) }
        if switching != nil { return .handOver }
        return status != 0 && body.isComplete && !awaitsUpload ? finish : .wait
    }

    /// All of the request has left.
    mutating func requestSent() -> Action {
        isRequestSent = true
        return status != 0 && switching == nil && body.isComplete ? finish : .wait
    }

    /// The connection has ended.
    mutating func ended(_ end: ConnectionEnd) -> Action {
        switch end {
        case .refused: return .fail(.refused)
        case .outOfDescriptors: return .fail(.outOfDescriptors)
        case .closed where mayBeStale && choice == .kept, .broken where mayBeStale && choice == .kept:
            mayBeStale = false
            isRequestSent = false
            return .sendAgain
        case .closed where status == 0: return .fail(.noAnswer("the connection was closed"))
        case .broken(let reason) where status == 0: return .fail(.noAnswer(reason))
        // An upload that nobody takes any more: the answer has come whole all the same.
        case .broken(let reason): return body.isComplete ? .finish(keepsConnection: false) : .fail(.brokenBody(reason))
        case .closed:
            do throws(ResponseBodyReader.Fault) {
                try body.closed()
                return .finish(keepsConnection: false)
            } catch {
                return .fail(.brokenBody(error.sentence))
            }
        }
    }

    /// Whether an answer that is whole waits for the rest of the upload: an instance that grants a request may go on reading.
    /// One that refuses it does not want the rest, and nobody goes on with an upload that a stream has answered.
    private var awaitsUpload: Bool {
        isStreamed && !isRequestSent && status < 300 && !isEventStream && !body.isChunked
    }

    private var finish: Action {
        .finish(keepsConnection: isRequestSent && choice != .own && !saysClose && !reader.isHTTP10)
    }
}

extension ResponseBodyReader.Fault {
    /// What is wrong, for a sentence about the answer.
    fileprivate var sentence: String {
        switch self {
        case .truncated: "the connection was closed before the body's end"
        case .excess: "more bytes came than the head promised"
        case .chunked(let fault): "its chunked coding is broken (\(fault))"
        }
    }
}
