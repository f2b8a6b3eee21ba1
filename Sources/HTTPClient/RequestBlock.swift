import HTTPTypes

/// A request's target and fields as one piece of text, for CURLOPT_REQUEST_TARGET.
///
/// libcurl formats a request's field lines byte by byte, at about a hundred instructions a byte, and looks through
/// all of them for each field that it knows: for a small request that is a third of what the gateway does. The
/// request target it copies as it is (CURLOPT_REQUEST_TARGET(3): "the string is used in the request"). So the target
/// goes out with the fields behind it:
///
///     /session HTTP/1.1 CR LF
///     Host: 127.0.0.1:4096 CR LF
///     Accept: application/json CR LF
///     … CR LF
///     X-Gateway-Protocol:
///
/// and what libcurl writes behind a target, ` HTTP/1.1`, becomes the last field's value; its own fields, the
/// framing, follow. Every byte here has been checked: a target without white space and fields without control
/// characters (``RequestFraming``) can't begin a line of their own.
struct RequestBlock {
    private static let firstLineEnd = Array(" HTTP/1.1\r\nHost: 127.0.0.1:".utf8)
    private static let lastField = Array("X-Gateway-Protocol:\0".utf8)

    private var text: [UInt8] = []

    /// Lends the NUL-terminated text of a request.
    mutating func withText(of request: borrowing UpstreamRequest, _ body: (UnsafePointer<CChar>?) -> Void) {
        let fields = request.fields
        assert(
            fields.holdsNoControlCharacter && request.target.allSatisfy { $0 > 0x20 },
            "a request with a line end in its target or fields must never come this far")
        text.removeAll(keepingCapacity: true)
        text.reserveCapacity(request.target.count + fields.byteCount + 80)
        text.append(contentsOf: request.target)
        text.append(contentsOf: Self.firstLineEnd)
        text.append(decimal: UInt64(request.port))
        text.append(0x0d)
        text.append(0x0a)
        fields.appendLines(to: &text)
        text.append(contentsOf: Self.lastField)
        // C wants characters, which have the same layout as bytes; the pointer lives for the one call, which copies.
        text.withUnsafeBufferPointer { buffer in
            UnsafeRawBufferPointer(buffer).withMemoryRebound(to: CChar.self) { body($0.baseAddress) }
        }
    }
}
