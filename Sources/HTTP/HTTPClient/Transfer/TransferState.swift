// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The state machine of one transfer. The state machine bases its decisions on the bytes and connection ends that are
/// reported to it, and performs no I/O.
///
///     request is sent ─► 1xx are dropped ──► head ──► body ──► .finish
///        │ the connection ends before the first byte        └► the connection ends within it: .fail
///        └► .sendAgain, once, if the request may be repeated; else .fail
///
/// Call ``parse(_:from:content:)`` until all bytes of one read are consumed, then ``readEnded()``, and perform the
/// returned action.
struct TransferState {
    /// The action that the transfer must perform.
    enum Action: Equatable {
        /// Wait for more bytes from the connection.
        case wait
        /// The response is complete: notify the delegate, and either keep the connection for another request or close
        /// it.
        case finish(keepsConnection: Bool)
        /// Notify the delegate and close the connection.
        case fail(UpstreamFailure)
        /// Send the request once more, on a new connection.
        case sendAgain
        /// The instance has switched protocols: the delegate takes over the connection.
        case handOver
    }

    /// The way in which the connection to an instance ends.
    enum ConnectionEnd: Equatable {
        /// The peer did not accept the connection.
        case refused
        /// No descriptor was available for the connection.
        case outOfDescriptors
        /// The instance will send nothing more.
        case closed
        /// The connection failed, with the system's error text.
        case broken(String)
    }

    private let method: Method
    private let isStreamed: Bool
    private let mayUpgrade: Bool
    private let choice: UpstreamRequest.ConnectionChoice
    /// Whether the connection was kept alive from an earlier request and has not delivered a byte yet.
    private var mayBeStale: Bool
    private var reader = ResponseHeadReader()
    private var body = ResponseBodyReader(.none)
    private var fault: UpstreamFailure?
    /// The head of a 101 response, for ``Action/handOver``.
    private(set) var switching: ResponseHead?
    private var isEventStream = false
    private var announcesClose = false

    /// The response's status, 0 until its head has arrived.
    private(set) var status = 0
    /// The time for which the connection may be idle before the next request, as announced by the instance.
    private(set) var idleLimit: Duration?
    /// Whether the whole request was sent.
    var isRequestSent = false

    /// Creates the state before a request is sent, on a connection that was kept alive or on a new one.
    init(_ request: borrowing UpstreamRequest, onKeptConnection: Bool) {
        method = request.method
        isStreamed = request.isStreamed
        mayUpgrade = request.mayUpgrade
        choice = request.connectionChoice
        mayBeStale = onKeptConnection
    }

    // The methods that a transfer calls for each request are `mutating`, so that the compiler calls them on the stored
    // value and not on a copy.

    /// Returns the trailer fields of a complete response.
    mutating func trailers() -> FieldList { body.trailers }

    /// Takes a field list from the pool for the response's head, unless the head has already arrived.
    mutating func lend(from pool: inout FieldListPool) {
        if status == 0 { reader.lend(from: &pool) }
    }

    /// Reads bytes from `index` on and passes each contiguous part of the body's content to `content`. Returns nil once
    /// all bytes are consumed. If the response's head ends earlier, returns the head. The caller must report the head
    /// before reading the remaining bytes.
    mutating func parse(
        _ bytes: Span<UInt8>, from index: inout Int, content: (Span<UInt8>) -> Void
    ) -> (head: ResponseHead, framing: ResponseFraming)? {
        mayBeStale = false
        if status == 0 { return readHead(bytes, from: &index) }
        // Parse no further after a 101 response, because the following bytes belong to the other protocol.
        guard fault == nil, switching == nil else { return nil }
        let remainder = bytes.extracting(index...)
        index = bytes.count
        do throws(ResponseBodyReader.Fault) {
            try body.decode(remainder, content: content)
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
                switch try reader.parse(bytes, from: &index) {
                case .needsMore: return nil
                case .interim: continue
                case .complete(let head): return startBody(head, isFollowed: index < bytes.count)
                case .switching(let head): return switchProtocols(head)
                }
            }
        } catch {
            fault = .badAnswer(error.rawValue)
        }
        return nil
    }

    private mutating func startBody(
        _ head: ResponseHead, isFollowed: Bool
    ) -> (head: ResponseHead, framing: ResponseFraming)? {
        let framing: ResponseFraming
        do throws(ResponseFraming.Fault) {
            framing = try ResponseFraming.of(head, to: method)
        } catch {
            fault = .badAnswer("the framing is ambiguous (\(error))")
            return nil
        }
        // Reject excess bytes before the client receives any part of the response.
        guard framing != .none || !isFollowed else {
            fault = .badAnswer(ResponseBodyReader.Fault.excess.sentence)
            return nil
        }
        status = head.status
        idleLimit = KeepAliveField.idleLimit(head.fields)
        announcesClose = head.fields.contains(.close, in: .connection)
        isEventStream = head.isEventStream && framing != .none
        body = ResponseBodyReader(framing)
        return (head, framing)
    }

    private mutating func switchProtocols(_ head: ResponseHead) -> (ResponseHead, ResponseFraming)? {
        guard mayUpgrade else {
            fault = .badAnswer("the response switches protocols, but the client did not request this")
            return nil
        }
        status = head.status
        switching = head
        return nil
    }

    /// Returns the action after all bytes of one read have been consumed.
    mutating func readEnded() -> Action {
        if let fault { return .fail(fault) }
        if switching != nil { return .handOver }
        return status != 0 && body.isComplete && !awaitsUpload ? finish : .wait
    }

    /// Returns the action after the whole request was sent.
    mutating func requestSent() -> Action {
        isRequestSent = true
        return status != 0 && switching == nil && body.isComplete ? finish : .wait
    }

    /// Returns the action after the connection has ended.
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
        // The remainder of the upload can no longer be sent, but the transfer succeeds if the response is complete.
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

    /// Whether a complete response waits for the remainder of the upload. An instance that accepts a request may
    /// continue to read the request's body. An instance that rejects the request does not need the remainder. No client
    /// continues an upload if the response is a stream.
    private var awaitsUpload: Bool {
        isStreamed && !isRequestSent && status < 300 && !isEventStream && !body.isChunked
    }

    private var finish: Action {
        .finish(keepsConnection: isRequestSent && choice != .dedicated && !announcesClose && !reader.isHTTP10)
    }
}

extension ResponseBodyReader.Fault {
    /// The fault as a phrase for a sentence about the response.
    fileprivate var sentence: String {
        switch self {
        case .truncated: "the connection was closed before the body's end"
        case .excess: "the body is longer than the head announced"
        case .chunked(let fault): "the chunked coding is malformed (\(fault))"
        }
    }
}
