/// Where the request on a client's connection is, and what every call and event means there. A value: `ClientConnection` does
/// what it answers, and asks nobody else.
///
///     idle ──head──► receiving ──whole, or more than is held──► handedOver ──► decided ──► answering
///      ▲                                                            └─ socket taken ─► taken  │
///      └────────────────────────────── completed ◄────────────────────────────────────────────┘
///
/// What the handler may call, and when:
///
/// | call | legal in | then |
/// |---|---|---|
/// | `respond` | `handedOver`, once | decided; before the request's end the socket is taken |
/// | `begin`, `upgrade` | `handedOver`, once | decided |
/// | `write` | from `handedOver` on, until `finish` or `breakOff` | before `begin`, `detach` the bytes wait for it |
/// | `finish`, `breakOff` | from `handedOver` on, the first of them | "finish, then begin" sends head and body in one system call |
/// | `dropWaitingAnswer` | `handedOver` | what was written and ended is forgotten |
/// | `detach` | `handedOver` | the socket is taken |
///
/// Anything else is ignored, and everything is once the client has gone: the handler may hear of that later.
struct RequestState: Equatable {
    enum Phase: CaseIterable {
        /// Between requests, or reading a head.
        case idle
        /// The head is good; the body comes.
        case receiving
        /// The handler has the request and has not answered.
        case handedOver
        /// The answer is there, and given to libmicrohttpd at once or when it calls for it.
        case decided
        /// The answer is queued or being sent.
        case answering
        /// The socket was taken away from libmicrohttpd, which does not know it.
        case taken
    }

    /// How far the body of the answer was written.
    enum AnswerBody: CaseIterable {
        /// More will come.
        case open
        /// What waits is the rest.
        case ended
        /// The source broke off: the client must not see a clean end.
        case broken
    }

    private(set) var phase = Phase.idle
    private(set) var answerBody = AnswerBody.open
    /// Whether the request's body has arrived to its end.
    private(set) var isBodyComplete = false
    /// Whether libmicrohttpd shall close the connection at its next call.
    private(set) var isClosing = false

    // MARK: The handler's calls

    enum Call: CaseIterable {
        case respond, begin, upgrade, write, finish, breakOff, dropWaitingAnswer, detach
    }

    /// What becomes of a call.
    enum Verdict: Equatable {
        /// Too late, or not now: nothing happens.
        case ignored
        /// It is done.
        case accepted
        /// libmicrohttpd can't do it before the request's end: the socket is taken for it.
        case needsSocket
    }

    /// Makes a call.
    mutating func call(_ call: Call) -> Verdict {
        switch call {
        case .respond:
            guard phase == .handedOver, !isClosing else { return .ignored }
            guard isBodyComplete else { return .needsSocket }
            phase = .decided
        case .begin, .upgrade:
            guard phase == .handedOver, !isClosing else { return .ignored }
            phase = .decided
        case .write:
            guard isHandlers, answerBody == .open, !isClosing else { return .ignored }
        case .finish, .breakOff:
            guard isHandlers, answerBody == .open else { return .ignored }
            answerBody = call == .finish ? .ended : .broken
        case .dropWaitingAnswer:
            guard phase == .handedOver, !isClosing else { return .ignored }
            answerBody = .open
        case .detach:
            guard phase == .handedOver, !isClosing else { return .ignored }
        }
        return .accepted
    }

    /// Whether the request is with its handler.
    private var isHandlers: Bool { phase == .handedOver || phase == .decided || phase == .answering }

    // MARK: Events

    enum Event: CaseIterable {
        /// The request line was read.
        case lineRead
        /// The head has one meaning only.
        case headAccepted
        /// The head is refused: the answer goes out on the socket itself.
        case headRefused
        /// More of the body has come than is held before the request is handed over.
        case bodyOutgrown
        /// The body has arrived to its end.
        case bodyEnded
        /// libmicrohttpd was given the answer.
        case answerQueued
        /// The socket was taken.
        case socketTaken
        /// The client has ended its side, or the connection is broken.
        case clientEnded
        /// The connection is cut.
        case cut
        /// libmicrohttpd is done with the request, or has given it up.
        case completed
    }

    /// What is to be done about an event.
    enum Effect: Equatable {
        case nothing
        /// The request goes to its handler.
        case handOver
        /// Who follows the request is told that more of its body, or its end, is there.
        case tellFollower
        /// What has come already may still have to be read, for a moment.
        case hurry
        /// Nothing can reach the client any more: who follows the request is told, and libmicrohttpd cleans up.
        case abandon
        /// The request has ended: it is recorded.
        case record
        /// There was no request, only the beginning of a head.
        case noRequest
    }

    /// Goes on; what an event does not mean anything for stays as it is.
    mutating func on(_ event: Event) -> Effect {
        switch event {
        case .lineRead:
            isBodyComplete = false
            answerBody = .open
        case .headAccepted: phase = .receiving
        case .headRefused: phase = .handedOver
        case .bodyOutgrown: return handOver()
        case .bodyEnded:
            isBodyComplete = true
            return handOver()
        case .answerQueued: phase = .answering
        case .socketTaken: phase = .taken
        case .clientEnded:
            switch phase {
            case .idle, .receiving: return .hurry
            case .handedOver, .decided, .answering:
                giveUp()
                return .abandon
            case .taken: return .nothing
            }
        case .cut:
            giveUp()
            return .abandon
        case .completed:
            guard phase != .taken else { return .nothing }
            defer { phase = .idle }
            return phase == .idle ? .noRequest : .record
        }
        return .nothing
    }

    private mutating func handOver() -> Effect {
        guard phase == .receiving else { return .tellFollower }
        phase = .handedOver
        return .handOver
    }

    private mutating func giveUp() {
        isClosing = true
        answerBody = .broken
    }
}

/// What the one timer of a client's connection waits for.
enum Deadline: CaseIterable {
    case head, idle, body, send, none
    /// The body of a request that was refused at its head.
    case refusedBody

    /// What it means that a deadline has passed.
    enum Expiry: Equatable {
        case nothing
        /// The connection goes without a word: between requests, or the client has gone.
        case cut
        /// The request was begun and not ended in time: 408 (RFC 9110 §15.5.9).
        case requestTimeout
        /// The client takes nothing of its answer.
        case sendTimeout
        /// The refusal is sent before the body's end, and the connection ends.
        case earlyRefusal
    }

    /// What is to be done when this one has passed.
    func expiry(hasInput: Bool, peerClosed: Bool) -> Expiry {
        if peerClosed { return .cut }
        return switch self {
        case .none: .nothing
        case .head where hasInput, .body: .requestTimeout
        case .head, .idle: .cut
        case .send: .sendTimeout
        case .refusedBody: .earlyRefusal
        }
    }
}
