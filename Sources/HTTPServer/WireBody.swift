import HTTPTypes

/// How a body stands on the wire (RFC 9112 §6), for the answers that libmicrohttpd does not send. Pure.
struct WireBody {
    private enum Framing {
        case chunked, length, untilClose, none
    }

    private let framing: Framing
    /// The field that tells the framing; nil where only the connection's end does.
    let field: (name: StaticString, value: String)?
    /// The body's length, where it is announced.
    let promised: UInt64?

    /// The framing of a body of this length for a client of this version; HEAD gets the same fields and no body.
    init(_ length: BodyLength, version: Version, isHead: Bool) {
        switch length {
        case .none(let announced):
            framing = .none
            promised = nil
            field = announced.map { ("Content-Length", String($0)) }
        case .known(let count):
            framing = isHead ? .none : .length
            promised = count
            field = ("Content-Length", String(count))
        case .unknown where version == .http10:
            framing = isHead ? .none : .untilClose
            promised = nil
            field = nil
        case .unknown:
            framing = isHead ? .none : .chunked
            promised = nil
            field = ("Transfer-Encoding", "chunked")
        }
    }

    /// Whether there is a body at all.
    var isPresent: Bool { framing != .none }

    /// Whether only the connection's end tells the body's: then only a reset tells that it is not whole.
    var endsByClosing: Bool { framing == .untilClose }

    /// Adds the next bytes, of which there is at least one.
    func write(_ bytes: Span<UInt8>, to wire: inout ByteQueue) {
        guard framing == .chunked else { return wire.append(bytes) }
        var size: [UInt8] = []
        size.append(hexadecimal: UInt64(bytes.count))
        WireHead.endLine(&size)
        wire.append(contentsOf: size)
        wire.append(bytes)
        wire.append(contentsOf: [0x0d, 0x0a])
    }

    /// Adds what tells that the body is whole.
    func end(trailers: FieldList, to wire: inout ByteQueue) {
        guard framing == .chunked else { return }
        var end = Array("0\r\n".utf8)
        trailers.appendLines(to: &end)
        WireHead.endLine(&end)
        wire.append(contentsOf: end)
    }
}
