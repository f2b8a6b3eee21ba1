import HTTPTypes

extension UpstreamRequest {
    /// Adds the request as it goes on the wire (RFC 9112 §2.1), its body with it; for one whose body is not streamed.
    func write(to text: inout [UInt8]) {
        text.reserveCapacity(target.count + fields.byteCount + 128)
        text.append(contentsOf: methodName.utf8)
        text.append(UInt8(ascii: " "))
        text.append(contentsOf: target)
        text.append(contentsOf: Self.behindTarget)
        text.append(decimal: UInt64(port))
        text.append(contentsOf: Self.lineEnd)
        fields.appendLines(to: &text)
        if case .whole(let content) = body {
            text.append(contentsOf: Self.contentLength)
            text.append(decimal: UInt64(content.count))
            text.append(contentsOf: Self.lineEnd)
            text.append(contentsOf: Self.lineEnd)
            text.append(contentsOf: content)
        } else {
            text.append(contentsOf: Self.lineEnd)
        }
    }

    /// The Host field's value: the instance's address as it knows it.
    var host: String { "127.0.0.1:\(port)" }

    private static let behindTarget = Array(" HTTP/1.1\r\nHost: 127.0.0.1:".utf8)
    private static let contentLength = Array("Content-Length: ".utf8)
    private static let lineEnd = Array("\r\n".utf8)
}
