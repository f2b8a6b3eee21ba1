// SPDX-License-Identifier: Apache-2.0

import HTTPClient
import HTTPServer

/// The state machine of a forwarded request and its response. The state machine performs no I/O. ``ProxyExchange``
/// reports events, and performs the returned actions.
///
///     awaited ──► held ──┬──► sending ───┬──► ended
///        │               └──► detached ──┘
///        └──► lost ───────────────────────► ended
struct ProxyExchangeState: Equatable {
    /// The progress of the response.
    enum Response: Equatable {
        /// The instance has not responded.
        case awaited
        /// The instance's connection ended before the response. The client waits until the gateway knows whether the
        /// instance was stopped.
        case lost
        /// The head has arrived, and the client has received nothing. The value is the length of the body.
        case held(BodyLength)
        /// libmicrohttpd sends the response, or the client has switched protocols.
        case sending
        /// The gateway itself sends the response on the client's socket.
        case detached
        case ended
    }

    /// The time limit until the next event.
    enum Deadline: Equatable {
        /// The limit of a response or of an upload.
        case answer
        /// The limit of a silent stream.
        case stream
        /// The limit of an upload whose response has arrived completely.
        case earlyAnswer
    }

    /// The decision whether the client may receive a response with this head.
    enum HeadVerdict: Equatable {
        case accept
        /// Abort the exchange, because the gateway is shutting down. A client would mistake an event stream that ends
        /// at once for a regular end.
        case abort
        /// Report that another server uses the instance's port.
        case reportForeignServer
    }

    /// The way in which the exchange sends the response.
    enum Delivery: Equatable {
        /// Send an event stream on the client's socket, and disconnect a client that is too slow.
        case stream
        /// Send the response on the client's socket, and pause the instance while the client is slow.
        case detach
        /// Wait until the transfer has settled, and then send the response through libmicrohttpd.
        case hold
    }

    /// The receiver of a part of the response's body.
    enum BodySink: Equatable { case connection, detached, nothing }

    /// The action at the regular end of the response.
    enum EndAction: Equatable {
        /// Send the whole response on the client's socket, because the request is still being sent.
        case detachWhole(BodyLength)
        /// Send the whole response through libmicrohttpd. With `isLengthBuffered`, announce the number of
        /// bytes that have arrived.
        case startWhole(BodyLength, isLengthBuffered: Bool)
        case finishConnection
        case finishDetached
        case nothing
    }

    /// The action when the response fails.
    enum FailureAction: Equatable {
        /// Send the part that has arrived on the client's socket, and abort the response.
        case detachPart(BodyLength)
        /// Send the part that has arrived through libmicrohttpd, and abort the response.
        case startPart(BodyLength)
        /// Discard the part that has arrived, and report the loss of the instance
        /// (``recordLoss(_:isStopKnown:isRouted:)``).
        case reportLoss
        case abortConnection
        case abortDetached
        case nothing
    }

    /// The action when the gateway ends the exchange.
    enum AbortAction: Equatable { case refuse, abortConnection, abortDetached, nothing }

    /// The response to a client whose instance has ended.
    enum LossAction: Equatable {
        /// Report the failure itself.
        case report(UpstreamFailure)
        /// Report the stop of the instance or of the gateway.
        case reportStop
        /// Wait, because a stop may become known a moment later.
        case wait
        case nothing
    }

    /// The action when the time limit has passed.
    enum TimeAction: Equatable {
        /// Report why the instance has not responded.
        case report(UpstreamFailure)
        /// Send the whole response without the remainder of the upload.
        case sendEarlyAnswer(BodyLength)
        /// Report that the instance did not respond in time.
        case reportTimeout
        /// Abort the exchange.
        case abort
        case nothing
    }

    private(set) var response = Response.awaited
    /// The failure that ended the instance's connection before the response. The value is set only while the response
    /// is ``Response/lost``. The failure is not an associated value of that case, because each change of ``response``
    /// would then copy and release strings.
    private var failure: UpstreamFailure?
    /// Whether the request's body is still being sent.
    private(set) var isUploading = false
    /// Whether the response is an event stream or the client has switched protocols.
    private(set) var isStream = false
    /// Whether the instance may have received a request that must not be repeated. Without a response, the gateway
    /// cannot know whether the instance has received the request.
    private(set) var mayBeReceived = false

    /// Records that the request is sent now.
    mutating func start(isUploading: Bool, mayBeReceived: Bool) {
        self.isUploading = isUploading
        self.mayBeReceived = mayBeReceived
    }

    // MARK: The response

    /// Decides whether the client may receive a response with this head.
    ///
    /// - Parameter refusesPassword: Whether the response rejects the password of an instance that requires one. Such a
    ///   response comes from another server.
    func judgeHead(isEventStream: Bool, isDraining: Bool, refusesPassword: Bool) -> HeadVerdict {
        if isDraining, isEventStream { return .abort }
        return refusesPassword ? .reportForeignServer : .accept
    }

    /// Records an accepted head. Returns the way to send the response.
    ///
    /// - Parameter canBegin: Whether libmicrohttpd can send this response.
    mutating func receiveHead(isEventStream: Bool, status: Int, length: BodyLength, canBegin: Bool) -> Delivery {
        if isEventStream { return .stream }
        // Such a status means that the instance does not need the remainder of an upload, so send the response now.
        if isUploading && status >= 300 || !canBegin { return .detach }
        response = .held(length)
        return .hold
    }

    /// Records that the response is sent on the client's socket from now on.
    mutating func recordDetached(isStream: Bool) {
        response = .detached
        isUploading = false
        self.isStream = isStream
    }

    /// Records that the instance and the client have switched protocols.
    mutating func switchProtocols() {
        response = .sending
        isStream = true
    }

    /// The receiver of the next part of the response's body.
    var bodySink: BodySink {
        switch response {
        case .detached: .detached
        case .held, .sending: .connection
        case .awaited, .lost, .ended: .nothing
        }
    }

    /// The time limit after the instance or the client has made progress.
    var deadline: Deadline { isStream ? .stream : .answer }

    /// The time limit after a part of the request's body has arrived.
    ///
    /// - Parameter buffered: The length of the part of the response that waits for the client.
    func uploadDeadline(buffered: BodyLength?) -> Deadline {
        earlyAnswer(buffered: buffered) == nil ? .answer : .earlyAnswer
    }

    /// Whether the client's own time limit applies while the client is slow. That limit does not apply to a response
    /// that is held back, because the client cannot read that response yet.
    var isClientReading: Bool {
        if case .held = response { false } else { true }
    }

    /// The length of the response's body, if the response has arrived completely while the request's body is still
    /// being sent; nil otherwise. The response is held back as long as the instance continues to read, because
    /// libmicrohttpd responds only after the end of the request's body.
    ///
    /// - Parameter buffered: The length of the part of the response that waits for the client.
    func earlyAnswer(buffered: BodyLength?) -> BodyLength? {
        guard isUploading, case .held(let length) = response else { return nil }
        if case .none = length { return length }
        return buffered == length ? length : nil
    }

    /// Starts a response that is held back, if the request's body was sent completely. Returns the length of the
    /// response's body, or nil if there is no response to start.
    mutating func startHeldAnswer() -> BodyLength? {
        guard case .held(let length) = response, !isUploading else { return nil }
        response = .sending
        return length
    }

    /// Records that the request's body was sent completely.
    mutating func finishUpload() { isUploading = false }

    /// Decides how the response ends after its last byte.
    func endAction(hasTrailers: Bool) -> EndAction {
        switch response {
        case .held(let length) where isUploading: .detachWhole(length)
        case .held(.unknown) where !hasTrailers: .startWhole(.unknown, isLengthBuffered: true)
        case .held(let length): .startWhole(length, isLengthBuffered: false)
        case .sending: .finishConnection
        case .detached: .finishDetached
        case .awaited, .lost, .ended: .nothing
        }
    }

    /// Decides how to end a response that has failed.
    ///
    /// - Parameter buffered: The length of the part of the response that waits for the client.
    func failureAction(for failure: UpstreamFailure, buffered: BodyLength?) -> FailureAction {
        switch response {
        case .held(let length) where Self.isDeliverable(failure, length, buffered: buffered):
            isUploading ? .detachPart(length) : .startPart(length)
        case .awaited, .lost, .held: .reportLoss
        case .sending: .abortConnection
        case .detached: .abortDetached
        case .ended: .nothing
        }
    }

    /// Returns whether to deliver the received part of a broken response to a client that has received nothing yet.
    /// Returns false if the client could mistake this part for a complete response.
    private static func isDeliverable(
        _ failure: UpstreamFailure, _ length: BodyLength, buffered: BodyLength?
    ) -> Bool {
        guard case .brokenBody = failure else { return false }
        if case .none = length { return false }
        return buffered != length
    }

    // MARK: The loss of the instance

    /// Records that the instance's connection ended before the response. Returns how to respond to the client. The
    /// exchange may have to wait, because the service manager can report a stop a moment later.
    ///
    /// - Parameters:
    ///   - isStopKnown: Whether a stop of the instance or of the gateway is known.
    ///   - isRouted: Whether requests are still routed to the instance.
    mutating func recordLoss(_ failure: UpstreamFailure, isStopKnown: Bool, isRouted: Bool) -> LossAction {
        if failure.reachedNoServer { mayBeReceived = false }
        switch failure {
        case .badAnswer, .outOfDescriptors: return .report(failure)
        case .refused, .brokenBody: return isStopKnown ? .reportStop : .report(failure)
        case .noAnswer:
            if isStopKnown { return .reportStop }
            guard isRouted else { return .report(failure) }
            response = .lost
            self.failure = failure
            return .wait
        }
    }

    /// Decides how to respond to a client after a change of the routes.
    ///
    /// - Parameters:
    ///   - isStopKnown: Whether a stop of the instance or of the gateway is known.
    ///   - isDraining: Whether the gateway is shutting down. Its instances then continue to run for a while.
    ///   - isRouted: Whether requests are still routed to the instance.
    func routesAction(isStopKnown: Bool, isDraining: Bool, isRouted: Bool) -> LossAction {
        switch response {
        case .awaited: isStopKnown && !isDraining ? .reportStop : .nothing
        case .lost where isStopKnown: .reportStop
        // The instance has ended by itself.
        case .lost where !isRouted: failure.map(LossAction.report) ?? .nothing
        case .lost, .held, .sending, .detached, .ended: .nothing
        }
    }

    // MARK: The end

    /// The action with which the gateway ends the exchange. The client must not mistake the result for a regular end.
    var abortAction: AbortAction {
        switch response {
        case .awaited, .lost, .held: .refuse
        case .sending: .abortConnection
        case .detached: .abortDetached
        case .ended: .nothing
        }
    }

    /// Decides what to do when the time limit has passed.
    ///
    /// - Parameter buffered: The length of the part of the response that waits for the client.
    func timeAction(buffered: BodyLength?) -> TimeAction {
        if let length = earlyAnswer(buffered: buffered) { return .sendEarlyAnswer(length) }
        return switch response {
        case .lost: failure.map(TimeAction.report) ?? .nothing
        case .awaited, .held: .reportTimeout
        case .sending, .detached: .abort
        case .ended: .nothing
        }
    }

    /// Records the end of the exchange. Returns whether the exchange was a stream, and whether its instance was lost.
    mutating func end() -> (wasStream: Bool, wasLost: Bool) {
        defer {
            response = .ended
            isStream = false
        }
        return (isStream, response == .lost)
    }
}
