// SPDX-License-Identifier: Apache-2.0

import Encodings
package import JSONText
internal import Locking

/// A request from an OpenCode 1 client.
package struct ClientRequest: Sendable, Equatable {
    /// The method, in upper case.
    package var method: String
    /// The decoded segments of the path.
    package var path: [String]
    /// The decoded query parameters in their order. The parameter `directory` is in ``directory`` instead.
    package var query: [(name: String, value: String)]
    /// The directory of the request, which is inside the project.
    package var directory: String
    /// OpenCode's id of the project whose sessions the request lists; nil if the list is limited to the directory.
    package var project: String?
    /// The body; empty if there is none.
    package var body: [UInt8]
    /// The body of a request whose handler may wait for hours; nil for other requests. If this property is set,
    /// ``body`` is empty.
    package var releasableBody: ReleasableBody?
    /// The parsed body. If this property is set, ``body`` is empty.
    private var parsedBody: JSON?

    /// Creates a request. The path and the query must be decoded, and the directory must be inside the project.
    package init(
        _ method: String, _ path: [String], query: [(name: String, value: String)] = [], directory: String,
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.directory = directory
        self.body = body
    }

    /// The parsed body; nil if the body was not parsed or was released.
    var json: JSON? { releasableBody?.json ?? parsedBody }

    /// The bytes of the body; empty if there is none, or if the body was parsed or released.
    var bodyBytes: [UInt8] { releasableBody?.bytes ?? body }

    /// Parses the body, and releases its bytes. The body is unchanged if it is not JSON.
    mutating func parseBody() {
        guard let json = JSONParser.parse(bodyBytes) else { return }
        if let releasableBody { return releasableBody.replace(by: json) }
        parsedBody = json
        body = []
    }

    /// Releases the body, which may be large. A handler calls this method before it waits for the end of a turn.
    func releaseBody() { releasableBody?.release() }

    /// The first value of the query parameter with this name.
    package subscript(name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns whether all properties are equal, including the order of the query.
    package static func == (one: ClientRequest, other: ClientRequest) -> Bool {
        one.method == other.method && one.path == other.path && one.directory == other.directory
            && one.project == other.project && one.body == other.body && one.json == other.json
            && one.releasableBody === other.releasableBody
            && one.query.elementsEqual(other.query) { $0 == $1 }
    }
}

/// The body of a request. All copies of the request share this object, so that a handler can release the memory before
/// the request ends.
package final class ReleasableBody: Sendable {
    private let content: Locked<(bytes: [UInt8], json: JSON?)>

    /// Creates a body of these bytes.
    package init(_ bytes: [UInt8]) { content = Locked((bytes, nil)) }

    var bytes: [UInt8] { content.withLock { $0.bytes } }
    var json: JSON? { content.withLock { $0.json } }

    func replace(by json: JSON) { content.withLock { $0 = ([], json) } }
    func release() { content.withLock { $0 = ([], nil) } }
}

/// A request that is sent to an OpenCode 2 instance.
package struct Call: Sendable, Equatable {
    /// The method, in upper case.
    package let method: String
    /// The encoded path and query.
    package let target: String
    /// The body; nil if there is none.
    package let body: JSON?
    /// The header fields that the call has in addition to the fields of every request.
    package let fields: [String: String]
    /// Whether the reply has no time limit, because it arrives only at the end of a turn or a shell command.
    package let isLong: Bool
    /// Whether the bridge must restore a setting after the reply. If so, the bridge awaits the reply even if the client
    /// no longer waits for the response.
    package let isOwed: Bool
    /// The time in milliseconds after which a missing reply counts as a reply with status 504. If the value is nil,
    /// only the gateway's own limits apply.
    package let patience: Int?
    /// The approximate maximum size of the reply's body in bytes. A longer body is truncated (``Reply/isCut``).
    package let longestReply: Int
    /// The directory that the call names, if any.
    let directory: String?

    /// The default maximum size of a reply's body, in bytes.
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
        self.body = body
        self.fields = fields
        self.isLong = isLong
        self.isOwed = isOwed
        self.patience = patience
        self.longestReply = longestReply
        directory = query.first { $0.0 == Bridge.location }?.1
    }
}

/// OpenCode 2's reply to a call.
package struct Reply: Sendable, Equatable {
    /// The HTTP status code of the reply.
    package let status: Int
    /// The value of the field `Content-Type`.
    package let type: String?
    /// The value of the field `X-Next-Cursor`, which contains the cursor of the next page in OpenCode 1's lists.
    package let nextCursor: String?
    /// The body; empty if there is none.
    package let body: [UInt8]
    /// Whether the body was truncated because it exceeded the call's limit (``Call/longestReply``). A truncated body is
    /// unusable.
    package let isCut: Bool

    /// Creates a reply. `type` and `nextCursor` are the values of the fields `Content-Type` and `X-Next-Cursor`.
    package init(
        status: Int, type: String? = nil, nextCursor: String? = nil, body: [UInt8], isCut: Bool = false
    ) {
        self.status = status
        self.type = type
        self.nextCursor = nextCursor
        self.body = body
        self.isCut = isCut
    }

    var isGood: Bool { (200..<300).contains(status) && !isCut }
    var json: JSON? { JSONParser.parse(body) }
    /// The value of the member `data`, which contains the content of most replies.
    var data: JSON? { json?["data"] }
}

/// The content of a response to an OpenCode 1 client.
package struct ClientAnswer: Sendable, Equatable {
    /// The HTTP status code of this response.
    package let status: Int
    /// The header fields that the response has in addition to the fields of every response.
    package let fields: [String: String]
    /// The body, which is JSON; empty if there is none.
    package let body: [UInt8]

    init(_ status: Int = 200, fields: [String: String] = [:], _ json: JSON?) {
        self.status = status
        self.fields = fields
        body = json?.bytes ?? []
    }

    init(_ status: Int, fields: [String: String] = [:], bytes: [UInt8]) {
        self.status = status
        self.fields = fields
        body = bytes
    }

    init(_ json: JSON) { self.init(200, json) }
}

/// The connections of one translated request: to OpenCode 2, to the project's event streams, and to the client. The
/// bridge's handlers communicate only through this protocol.
package protocol BridgeTransport: Sendable {
    /// Sends a call to OpenCode 2 and returns its reply.
    func send(_ call: Call) async throws(BridgeError) -> Reply

    /// Acquires the session's lock. Requests that change a session's agent and model and then send a prompt must not
    /// interleave. The lock is held until ``unlock()`` or the end of the response.
    func lock(session: String) async throws(BridgeError)

    /// Releases the session's lock.
    func unlock()

    /// Starts watching for the next end of a turn in the session. ``awaitStreams()`` waits for this end.
    ///
    /// - Parameter holdsEnd: Whether event streams delay this end until the response to this request is sent, as
    ///   OpenCode 1 does.
    func watchTurn(of session: String, holdsEnd: Bool)

    /// Waits until the project's event streams have sent all events that precede the response, or until a short
    /// time-out expires.
    func awaitStreams() async throws(BridgeError)

    /// Sends an OpenCode 1 event to the project's event streams, directly after the end of the watched turn
    /// (``watchTurn(of:holdsEnd:)``). Use this method for events that OpenCode 2 does not send.
    func publish(_ event: Change)

    /// Waits for this number of milliseconds.
    func pause(milliseconds: Int) async throws(BridgeError)

    /// Begins a response whose body follows in batches.
    func begin(_ answer: ClientAnswer)

    /// Sends the next batch of the body, and returns when the client can receive another batch.
    func write(_ bytes: [UInt8]) async throws(BridgeError)
}

/// The reason why a handler of the bridge does not return its normal response.
package enum BridgeError: Error {
    /// The client receives this response instead.
    case answer(ClientAnswer)
    /// The request has ended, because its client has disconnected or the instance has stopped. The handler sends no
    /// further calls.
    case ended
}

/// The response to a request from an OpenCode 1 client.
package enum BridgeResponse: Sendable {
    /// The complete response.
    case answer(ClientAnswer)
    /// The response was sent in batches, and its body is complete.
    case completed
    /// Batches of the response were sent, but the response cannot be completed. The client must be able to detect the
    /// truncation.
    case truncated
}
