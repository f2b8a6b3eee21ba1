// SPDX-License-Identifier: Apache-2.0

/// The state of the request on a client's connection, which defines the meaning of every call and event.
/// `ClientConnection` performs the returned effects and no others.
///
///     idle ──head──► receiving ──complete, or over the limit──► handedOver ──► decided ──► answering
///      ▲                                                            └─ detach ─► detached     │
///      └────────────────────────────── completed ◄────────────────────────────────────────────┘
///
/// The calls that the handler may make:
///
/// | call | legal in | effect |
/// |---|---|---|
/// | `respond` | `handedOver`, once | decided; before the end of the request, the socket is detached |
/// | `startResponse`, `upgrade` | `handedOver`, once | decided |
/// | `write` | from `handedOver` on, until `finish` or `abort` | before `startResponse` or `detach`, the bytes wait |
/// | `finish`, `abort` | from `handedOver` on, once | `finish` before `startResponse` saves a system call |
/// | `dropWaitingAnswer` | `handedOver` | the written bytes and their end are discarded |
/// | `detach` | `handedOver` | the socket is detached |
///
/// Any other call is ignored. Calls after the client has left are also ignored, because the handler may be notified
/// later than the server.
struct RequestState: Equatable {
    enum Phase: CaseIterable {
        /// No request is in progress, or its head is being read.
        case idle
        /// The head is valid, and the body is arriving.
        case receiving
        /// The handler has the request and has not responded.
        case handedOver
        /// The response is available. libmicrohttpd receives the response immediately, or when libmicrohttpd calls for
        /// the response.
        case decided
        /// The response is queued or being sent.
        case answering
        /// The socket was detached from libmicrohttpd.
        case detached
    }

    /// The progress of writing the response's body.
    enum AnswerBody: CaseIterable {
        /// The body is incomplete, and more of it will follow.
        case open
        /// The body is complete. The waiting bytes are its remainder.
        case ended
        /// The source failed, and the client must not see a regular end.
        case broken
    }

    private(set) var phase = Phase.idle
    private(set) var answerBody = AnswerBody.open
    /// Whether the request's body has arrived completely.
    private(set) var isBodyComplete = false
    /// Whether libmicrohttpd closes the connection at its next call.
    private(set) var isClosing = false

    // MARK: The handler's calls

    enum Call: CaseIterable {
        case respond, startResponse, upgrade, write, finish, abort, dropWaitingAnswer, detach
    }

    /// The result of a call by the handler.
    enum Verdict: Equatable {
        /// The call is too early or too late, and has no effect.
        case ignored
        case accepted
        /// libmicrohttpd cannot perform the call before the request has ended, so the socket must be detached.
        case needsSocket
    }

    /// Applies a call by the handler and returns the call's result.
    mutating func call(_ call: Call) -> Verdict {
        switch call {
        case .respond:
            guard phase == .handedOver, !isClosing else { return .ignored }
            guard isBodyComplete else { return .needsSocket }
            phase = .decided
        case .startResponse, .upgrade:
            guard phase == .handedOver, !isClosing else { return .ignored }
            phase = .decided
        case .write:
            guard isHandlers, answerBody == .open, !isClosing else { return .ignored }
        case .finish, .abort:
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

    /// Whether the handler currently owns the request.
    private var isHandlers: Bool { phase == .handedOver || phase == .decided || phase == .answering }

    // MARK: Events

    enum Event: CaseIterable {
        /// The request line was read.
        case lineRead
        /// The head is valid and unambiguous.
        case headAccepted
        /// The head is rejected, and the response is sent directly on the socket.
        case headRefused
        /// The body exceeds the size up to which it is collected before the handler receives the request.
        case bodyOutgrown
        /// The body has arrived completely.
        case bodyEnded
        /// libmicrohttpd has received the response.
        case answerQueued
        /// The socket was detached from libmicrohttpd.
        case socketDetached
        /// The client has closed its side, or the connection has failed.
        case clientEnded
        case cut
        /// libmicrohttpd has finished or abandoned the request.
        case completed
    }

    /// The action that an event requires.
    enum Effect: Equatable {
        case nothing
        /// The request is passed to its handler.
        case handOver
        /// The exchange is notified that more of the request's body, or its end, has arrived.
        case notifyExchange
        /// Bytes that have already arrived may still have to be read, within a short time.
        case hurry
        /// Nothing can reach the client any more. The exchange is notified, and libmicrohttpd cleans up.
        case abandon
        /// The request has ended and is recorded.
        case record
        /// There was no complete request, only the beginning of a head.
        case noRequest
    }

    /// Processes an event. An event without a meaning in the current phase changes nothing.
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
        case .socketDetached: phase = .detached
        case .clientEnded:
            switch phase {
            case .idle, .receiving: return .hurry
            case .handedOver, .decided, .answering:
                breakAnswer()
                return .abandon
            case .detached: return .nothing
            }
        case .cut:
            breakAnswer()
            return .abandon
        case .completed:
            guard phase != .detached else { return .nothing }
            defer { phase = .idle }
            return phase == .idle ? .noRequest : .record
        }
        return .nothing
    }

    private mutating func handOver() -> Effect {
        guard phase == .receiving else { return .notifyExchange }
        phase = .handedOver
        return .handOver
    }

    private mutating func breakAnswer() {
        isClosing = true
        answerBody = .broken
    }
}

/// The event that a client's connection waits for, which determines the deadline of its only timer.
enum Deadline: CaseIterable {
    case head, idle, body, send, none
    /// The body of a request that was rejected after its head.
    case refusedBody

    /// The consequence of the expiry of a deadline.
    enum Expiry: Equatable {
        case nothing
        /// The connection ends without a response, either between requests or after the client has left.
        case cut
        /// The request began but did not end in time: 408 (RFC 9110 §15.5.9).
        case requestTimeout
        /// The client does not read its response.
        case sendTimeout
        /// The refusal is sent before the body's end, and the connection ends.
        case earlyRefusal
    }

    /// Returns the consequence of the expiry of this deadline.
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
