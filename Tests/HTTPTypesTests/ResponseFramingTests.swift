import HTTPTypes
import Testing

/// Where an answer's body ends (RFC 9112 §6.3), and which answers cannot be trusted.
@Suite struct ResponseFramingTests {
    private static func head(_ status: Int, _ fields: [(String, String)]) -> ResponseHead {
        var head = ResponseHead(status: status)
        for (name, value) in fields { head.fields.append(name, value) }
        return head
    }

    private static let length = ("Content-Length", "5")
    private static let chunked = ("Transfer-Encoding", "chunked")

    @Test func theProperFramings() throws {
        let cases: [(Method, Int, [(String, String)], ResponseFraming)] = [
            (.get, 200, [], .untilClose), (.get, 200, [Self.length], .length(5)), (.get, 200, [Self.chunked], .chunked),
            (.get, 200, [("Transfer-Encoding", "CHUNKED")], .chunked),
            (.get, 200, [("Content-Length", "0")], .length(0)),
            (.head, 200, [], .none), (.head, 200, [Self.length], .none), (.head, 200, [Self.chunked], .none),
            (.get, 204, [], .none), (.get, 204, [Self.length], .none), (.get, 304, [Self.length], .none),
            (.get, 304, [], .none), (.post, 201, [Self.length], .length(5)), (.get, 404, [], .untilClose),
            (.get, 205, [], .untilClose), (.get, 101, [], .none),
        ]
        for (method, status, fields, expected) in cases {
            #expect(
                try ResponseFraming.of(Self.head(status, fields), to: method) == expected,
                "\(method) \(status) \(fields)")
        }
    }

    @Test func whatCouldBeReadInTwoWaysIsAFault() {
        let cases: [([(String, String)], ResponseFraming.Fault)] = [
            ([Self.length, Self.chunked], .lengthAndTransferEncoding), ([Self.length, Self.length], .severalLengths),
            ([Self.length, ("Content-Length", "6")], .severalLengths),
            ([("Content-Length", "5, 5")], .lengthIsNoNumber),
            ([("Content-Length", "")], .lengthIsNoNumber), ([("Content-Length", "-1")], .lengthIsNoNumber),
            ([("Transfer-Encoding", "gzip")], .unknownTransferEncoding),
            ([("Transfer-Encoding", "gzip, chunked")], .unknownTransferEncoding),
            ([Self.chunked, Self.chunked], .unknownTransferEncoding),
        ]
        for (fields, fault) in cases {
            for (method, status) in [(Method.get, 200), (.head, 200), (.get, 204), (.get, 304)] {
                #expect(throws: fault, "\(fields)") { try ResponseFraming.of(Self.head(status, fields), to: method) }
            }
        }
    }

    @Test func anEventStreamIsToldByItsMediaType() {
        let type = "Content-Type"
        for value in [
            "text/event-stream", "TEXT/Event-Stream", "text/event-stream; charset=utf-8", "text/event-stream ;x",
        ] {
            #expect(Self.head(200, [(type, value)]).isEventStream, "\(value)")
        }
        for value in [
            "text/event-streams", "application/json", "", "text/plain; text/event-stream", "xtext/event-stream",
        ] {
            #expect(!Self.head(200, [(type, value)]).isEventStream, "\(value)")
        }
        #expect(!Self.head(200, []).isEventStream)
        #expect(!Self.head(404, [(type, "text/event-stream")]).isEventStream)
    }
}
