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
