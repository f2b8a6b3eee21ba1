/// An answer with its fields in the recorded order, which differs from one kind to the next.
struct Answer: Sendable {
    let status: Int
    let reason: String
    var fields: [(String, String)]
    var body: [UInt8] = []
    var isChunked = false

    /// JSON of known length.
    static func json(_ json: JSON, status: Int = 200, reason: String = "OK") -> Answer {
        Answer.json(text: json.encoded, status: status, reason: reason)
    }

    /// JSON of known length that is encoded already.
    static func json(text: String, status: Int, reason: String) -> Answer {
        let body = Array(text.utf8)
        return Answer(
            status: status, reason: reason,
            fields: [
                ("Content-Type", "application/json"), ("Date", Clock.httpDate), ("Content-Length", "\(body.count)"),
                ("Vary", "Origin"),
            ], body: body)
    }

    /// JSON in one chunk, as `/session/ID/message` answers when the turn is over.
    static func chunkedJSON(_ json: JSON) -> Answer {
        Answer(
            status: 200, reason: "OK",
            fields: [
                ("Content-Type", "application/json"), ("Vary", "Origin"), ("Date", Clock.httpDate),
                ("Transfer-Encoding", "chunked"),
            ], body: Array(json.encoded.utf8), isChunked: true)
    }

    /// A status without content; 1.18 sends a Content-Length with its 204 too.
    static func empty(_ status: Int, _ reason: String) -> Answer {
        Answer(
            status: status, reason: reason,
            fields: [("Vary", "Origin"), ("Date", Clock.httpDate), ("Content-Length", "0")])
    }

    /// The refusal of missing or wrong credentials.
    static var unauthorized: Answer {
        Answer(
            status: 401, reason: "Unauthorized",
            fields: [
                ("Vary", "Origin"), ("www-authenticate", "Basic realm=\"Secure Area\""), ("Date", Clock.httpDate),
                ("Content-Length", "0"),
            ])
    }

    /// The answer to any OPTIONS request.
    static func preflight(origin: String?) -> Answer {
        var fields = [
            ("Vary", "Origin"), ("Access-Control-Allow-Methods", "GET, HEAD, PUT, PATCH, POST, DELETE"),
            ("Access-Control-Allow-Headers", ""), ("Access-Control-Max-Age", "86400"), ("Date", Clock.httpDate),
            ("Content-Length", "0"),
        ]
        if let origin, isAllowed(origin) { fields.insert(("Access-Control-Allow-Origin", origin), at: 0) }
        return Answer(status: 204, reason: "No Content", fields: fields)
    }

    /// The web app's page, which also answers every unknown path and every HEAD.
    static func page(hasBody: Bool) -> Answer {
        let body = hasBody ? Array(html.utf8) : []
        return Answer(
            status: 200, reason: "OK",
            fields: [
                (
                    "Content-Security-Policy",
                    "default-src 'self'; img-src 'self' data: https: blob:; connect-src * data: blob:"
                ),
                ("Content-Type", "text/html"), ("Vary", "Origin"), ("Date", Clock.httpDate),
                ("Content-Length", "\(body.count)"),
            ], body: body)
    }

    /// The fields of an event stream's head.
    static var streamFields: [(String, String)] {
        [
            ("Cache-Control", "no-cache, no-transform"), ("X-Content-Type-Options", "nosniff"),
            ("Content-Type", "text/event-stream"), ("Vary", "Origin"), ("x-accel-buffering", "no"),
            ("Date", Clock.httpDate), ("Transfer-Encoding", "chunked"),
        ]
    }

    /// The same answer for a request from a web page: its origin is allowed right before `Vary`, or `Vary` goes.
    func adapted(toOrigin origin: String?) -> Answer {
        guard let origin, status != 204, let index = fields.firstIndex(where: { $0.0 == "Vary" }) else { return self }
        var answer = self
        if Answer.isAllowed(origin) {
            answer.fields.insert(("Access-Control-Allow-Origin", origin), at: index)
        } else {
            answer.fields.remove(at: index)
        }
        return answer
    }

    private static func isAllowed(_ origin: String) -> Bool {
        ["http://localhost:", "http://127.0.0.1:"].contains { origin.hasPrefix($0) }
    }

    private static let html = """
        <!doctype html>
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <title>OpenCode twin</title>
          </head>
          <body>
            <p>The real server answers unknown paths with its web app. This is its twin.</p>
          </body>
        </html>

        """
}

extension Answer {
    /// What cannot be found, by its name.
    static func notFound(session id: String) -> Answer {
        json(
            ["name": "NotFoundError", "data": ["message": .string("Session not found: \(id)")]], status: 404,
            reason: "Not Found")
    }

    /// What the server did not expect.
    static var unexpected: Answer {
        json(
            [
                "name": "UnknownError",
                "data": [
                    "message": "Unexpected server error. Check server logs for details.",
                    "ref": .string(Identifier.errorReference()),
                ],
            ], status: 500, reason: "Internal Server Error")
    }

    /// A body that lacks a member.
    static func missing(_ member: String) -> Answer {
        json(
            [
                "name": "BadRequest",
                "data": ["message": .string("Missing key\n  at [\"\(member)\"]"), "kind": "Payload"],
            ], status: 400, reason: "Bad Request")
    }
}
