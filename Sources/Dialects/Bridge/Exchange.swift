package import JSONText
import TextCoding

/// A request of an OpenCode 1's client.
package struct ClientRequest: Sendable, Equatable {
    /// In capitals.
    package var method: String
    /// The path's segments, decoded.
    package var path: [String]
    /// The query, decoded, in order; `directory` is ``directory`` instead.
    package var query: [(name: String, value: String)]
    /// The directory that it is about: inside the project, as judged before.
    package var directory: String
    /// OpenCode's id of the project whose sessions a list has, where it is not the directory's only.
    package var project: String?
    /// Empty where there is none.
    package var body: [UInt8]
    /// The body once it has been read; ``body`` is empty then.
    var json: JSON?

    /// `path` and `query` are decoded; `directory` is inside the project.
    package init(
        _ method: String, _ path: [String], query: [(name: String, value: String)] = [], directory: String,
        body: [UInt8] = []
    ) {
        (self.method, self.path, self.query) = (method, path, query)
        (self.directory, self.body) = (directory, body)
    }

    /// The first value of that name.
    package subscript(name: String) -> String? { query.first { $0.name == name }?.value }

    /// Whether all is the same, the query in its order.
    package static func == (one: ClientRequest, other: ClientRequest) -> Bool {
        one.method == other.method && one.path == other.path && one.directory == other.directory
            && one.project == other.project && one.body == other.body && one.json == other.json
            && one.query.elementsEqual(other.query) { $0 == $1 }
    }
}

/// A request to OpenCode 2.
package struct Call: Sendable, Equatable {
    /// In capitals.
    package let method: String
    /// Path and query, encoded.
    package let target: String
    /// Nil where there is none.
    package let body: JSON?
    /// Fields besides those that every request has.
    package let fields: [String: String]
    /// Whether it is answered only when a turn is done, however long that takes.
    package let isLong: Bool
    /// Whether something that was set for it is set back behind it: it is waited for though nobody waits for the
    /// answer any more.
    package let isOwed: Bool
    /// After so many milliseconds without an answer, 504 counts as the answer; nil: the gateway's own limits apply.
    package let patience: Int?
    /// Bytes of its answer's body that are wanted, about; a longer one is cut (``Reply/isCut``).
    package let longestReply: Int
    /// The directory in which it is answered; nil where it names none.
    let directory: String?

    /// What an answer has at most where nothing else is said, in bytes.
    static let longestReply = 16 * 1024 * 1024

    init(
        _ method: String, _ path: [String], query: [(String, String?)] = [], body: JSON? = nil,
        fields: [String: String] = [:], isLong: Bool = false, isOwed: Bool = false,
        patience: Int? = nil, longestReply: Int = Call.longestReply
    ) {
        var target: [UInt8] = []
        for segment in path {
            target.append(UInt8(ascii: "/"))
            target += PercentEncoding.encode(segment.utf8)
        }
        var separator = UInt8(ascii: "?")
        for case (let name, let value?) in query {
            target.append(separator)
            target += PercentEncoding.encode(name.utf8)
            target.append(UInt8(ascii: "="))
            target += PercentEncoding.encode(value.utf8)
            separator = UInt8(ascii: "&")
        }
        self.method = method
        self.target = String(decoding: target, as: UTF8.self)
        (self.body, self.fields, self.isLong, self.isOwed) = (body, fields, isLong, isOwed)
        (self.patience, self.longestReply) = (patience, longestReply)
        directory = query.first { $0.0 == Bridge.location }?.1
    }
}

/// OpenCode 2's answer to a call.
package struct Reply: Sendable, Equatable {
    /// The status code.
    package let status: Int
    /// The `Content-Type` field's value.
    package let type: String?
    /// The `X-Next-Cursor` field's value: where OpenCode 1's list goes on.
    package let nextCursor: String?
    /// Empty where there is none.
    package let body: [UInt8]
    /// Whether the body was longer than the call wanted it (``Call/longestReply``): what there is of it says nothing.
    package let isCut: Bool

    /// `type` and `nextCursor` are the values of the fields `Content-Type` and `X-Next-Cursor`.
    package init(
        status: Int, type: String? = nil, nextCursor: String? = nil, body: [UInt8], isCut: Bool = false
    ) {
        (self.status, self.type, self.nextCursor) = (status, type, nextCursor)
        (self.body, self.isCut) = (body, isCut)
    }

    var isGood: Bool { (200..<300).contains(status) && !isCut }
    var json: JSON? { JSONParser.parse(body) }
    /// What OpenCode 2 wraps most answers in.
    var data: JSON? { json?["data"] }
}

/// The answer for an OpenCode 1's client.
package struct ClientAnswer: Sendable, Equatable {
    /// The status code.
    package let status: Int
    /// Fields besides those of every answer; the body is JSON where there is one.
    package let fields: [String: String]
    /// Empty where there is none.
    package let body: [UInt8]

    init(_ status: Int = 200, fields: [String: String] = [:], _ json: JSON?) {
        (self.status, self.fields) = (status, fields)
        body = json?.bytes ?? []
    }

    init(_ status: Int, fields: [String: String] = [:], bytes: [UInt8]) {
        (self.status, self.fields, body) = (status, fields, bytes)
    }

    init(_ json: JSON) { self.init(200, json) }
}

/// What comes next in answering a request: a value that says it, for whoever has the sockets.
package indirect enum BridgeStep: Sendable {
    /// Ask OpenCode 2 and go on with its answer.
    case call(Call, @Sendable (Reply) -> BridgeStep)
    /// Go on once nobody else has the session's turn: what sets a session's agent and model, and then sends a prompt, must
    /// not be mixed with another such. Kept until ``letGo(_:)`` or the answer's end.
    case hold(session: String, @Sendable () -> BridgeStep)
    /// Others may have the session's turn.
    case letGo(@Sendable () -> BridgeStep)
    /// From now on the next end of the session's turn counts for ``awaitStreams(_:)``. `holds`: event streams do not tell it before
    /// the answer to this request, as OpenCode 1 does not.
    case watchTurn(session: String, holds: Bool, @Sendable () -> BridgeStep)
    /// Go on once the project's event streams have told all that is to be told before the answer; after a short time in any case.
    case awaitStreams(@Sendable () -> BridgeStep)
    /// Go on in so many milliseconds.
    case pause(milliseconds: Int, @Sendable () -> BridgeStep)
    /// The whole answer.
    case answer(ClientAnswer)
    /// Begin an answer whose body comes in pieces; the answer's own is the first.
    case begin(ClientAnswer, @Sendable () -> BridgeStep)
    /// Another piece of its body.
    case write([UInt8], @Sendable () -> BridgeStep)
    /// The body is complete.
    case end
    /// The answer cannot be completed: what has begun must be seen to have been cut.
    case cut
}
