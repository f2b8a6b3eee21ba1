// SPDX-License-Identifier: Apache-2.0

internal import Encodings
import Glibc
import HTTPTypes

/// Encodes heads in their wire format, for the responses that libmicrohttpd does not send.
enum WireHead {
    /// Returns the status line and fields, without the empty line that ends the head.
    static func statusAndFields(_ head: ResponseHead) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append(contentsOf: "HTTP/1.1 ".utf8)
        bytes.append(decimal: UInt64(head.status))
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: Response.reason(head.status).utf8)
        endLine(&bytes)
        head.fields.appendLines(to: &bytes)
        return bytes
    }

    static func add(_ name: StaticString, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: name.description.utf8)
        bytes.append(contentsOf: ": ".utf8)
        bytes.append(contentsOf: value.utf8)
        endLine(&bytes)
    }

    /// Appends a line end. A second consecutive line end ends the head.
    static func endLine(_ bytes: inout [UInt8]) { bytes.append(contentsOf: [0x0d, 0x0a]) }

    /// Returns a complete response after which the connection is closed.
    static func complete(_ answer: GatewayAnswer) -> [UInt8] {
        var bytes = statusAndFields(answer.head)
        add("Content-Length", String(answer.body.count), to: &bytes)
        add("Connection", "close", to: &bytes)
        endLine(&bytes)
        bytes.append(contentsOf: answer.body)
        return bytes
    }
}

/// The encoder for a body's framing (RFC 9112 §6), for the responses that libmicrohttpd does not send. The encoder
/// performs no I/O.
struct WireBody {
    private enum Framing {
        case chunked, length, untilClose, none
    }

    private let framing: Framing
    /// The field that announces the framing; nil if only the end of the connection marks the end of the body.
    let field: (name: StaticString, value: String)?
    /// The body's length, if it is announced.
    let promised: UInt64?

    /// Creates the framing for a body of this length and a client that uses this HTTP version. A response to HEAD gets
    /// the same fields and no body.
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

    /// Whether a body is sent at all.
    var isPresent: Bool { framing != .none }

    /// Whether the body is sent in chunks.
    var isChunked: Bool { framing == .chunked }

    /// Whether only the end of the connection marks the end of the body. In that case, only a reset shows that a body
    /// is incomplete.
    var endsByClosing: Bool { framing == .untilClose }

    /// Adds the next bytes of the body. `bytes` must not be empty.
    func write(_ bytes: Span<UInt8>, to wire: inout ByteQueue) {
        guard framing == .chunked else { return wire.append(bytes) }
        var size: [UInt8] = []
        size.append(hexadecimal: UInt64(bytes.count))
        WireHead.endLine(&size)
        wire.append(contentsOf: size)
        wire.append(bytes)
        wire.append(contentsOf: [0x0d, 0x0a])
    }

    /// Adds the end marker of a complete body.
    func finish(trailers: FieldList, to wire: inout ByteQueue) {
        guard framing == .chunked else { return }
        var end = Array("0\r\n".utf8)
        trailers.appendLines(to: &end)
        WireHead.endLine(&end)
        wire.append(contentsOf: end)
    }
}

/// Formats a time in the HTTP format (IMF-fixdate, RFC 9110 §5.6.7). The text is English regardless of the locale.
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns the current time as text.
    static func now() -> String { text(time(nil)) }

    /// Formats a point in time, given in seconds since 1970.
    static func text(_ seconds: time_t) -> String {
        var seconds = seconds
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let day = days[Int(parts.tm_wday)]
        let month = months[Int(parts.tm_mon)]
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
        return "\(day), \(twoDigits(parts.tm_mday)) \(month) \(parts.tm_year + 1900) \(clock) GMT"
    }

    private static func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
