package import HTTPTypes
import JSONText

/// A complete answer that the gateway gives itself.
package struct Answer: Sendable {
    /// Status and fields; Content-Length and Date are added when it is sent.
    package var head: ResponseHead
    /// The whole body.
    package var body: [UInt8]

    /// An answer with these parts.
    package init(head: ResponseHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }
}

extension Answer {
    /// An error as every client of the gateway knows it: `{"detail": "…"}`, one plain sentence.
    package static func detail(_ status: Int, _ sentence: String) -> Answer {
        var head = ResponseHead(status: status)
        head.fields.append("Content-Type", "application/json")
        var body = Array(#"{"detail":"#.utf8)
        body.append(jsonString: sentence)
        body.append(UInt8(ascii: "}"))
        return Answer(head: head, body: body)
    }
}

/// The answers that a server gives before there is a request to hand over.
enum StandardAnswer {
    /// The request was begun and not ended in time (RFC 9110 §15.5.9).
    static let requestTimeout = Answer.detail(
        408, "The request did not arrive in time. Send it again on a new connection.")

    /// A line of the chunked coding does not fit into libmicrohttpd's memory (RFC 9112 §7.1.1).
    static let chunkLineTooLong = Answer.detail(
        413, "A chunk's size or extension is too long. Send chunks without extensions.")

    /// The request line and the fields are larger than allowed (RFC 6585 §5).
    static func headTooLarge(limit: Int) -> Answer {
        .detail(
            431,
            "The request line and header fields are larger than \(limit) bytes (--max-head). Send fewer or shorter fields."
        )
    }
}

/// How the body of an answer that is passed on ends.
package enum BodyLength: Sendable, Equatable {
    /// There is none; the length that a GET would have had is told where it is known (RFC 9110 §8.6).
    case none(announced: UInt64?)
    /// Exactly this many bytes.
    case known(UInt64)
    /// Its end tells.
    case unknown
}
