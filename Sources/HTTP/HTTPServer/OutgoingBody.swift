// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The part of a response's body that waits until libmicrohttpd reads it.
struct OutgoingBody {
    var queue = ByteQueue()
    /// Whether the source is paused and must be resumed.
    var isSourcePaused = false
    /// Whether libmicrohttpd is waiting for bytes.
    var isReaderWaiting = false
    /// The body's length, if it was announced.
    var promised: UInt64?
    /// The fields after the last chunk (RFC 9110 §6.5).
    var trailers = FieldList()
    /// libmicrohttpd's response object, which exists until libmicrohttpd has read the end of the body.
    var response: OpaquePointer?

    /// Prepares for another response. Keeps the queue's memory.
    mutating func reset() {
        queue.removeAll()
        isSourcePaused = false
        isReaderWaiting = false
        promised = nil
        if trailers.count > 0 { trailers = FieldList() }
        response = nil
    }
}

/// A response that libmicrohttpd has not received yet.
enum UnsentResponse {
    case whole(GatewayAnswer)
    case begun(ResponseHead, BodyLength)
    case upgrade(ResponseHead)
}
