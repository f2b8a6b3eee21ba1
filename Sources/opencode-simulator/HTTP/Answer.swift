/// An answer, without the fields that every answer of its version has.
struct Answer: Sendable {
    /// What its body is.
    enum Content: Sendable {
        case json
        case text
        case page
        /// Nothing, and no type of nothing.
        case none
        /// The refusal of missing or wrong credentials.
        case challenge
        /// The answer to OPTIONS.
        case preflight
    }

    var status: Int
    var reason: String
    var content: Content
    var body: [UInt8] = []
    /// Whether the body comes in one chunk, as `/session/ID/message` answers when the turn is over.
    var isChunked = false
    /// Whether the body is coded with gzip.
    var isCompressed = false
    /// Whether the body is left out, as HEAD wants it.
    var isHead = false
    /// Fields before the usual ones, and behind them or before `Date`.
    var first: [(String, String)] = []
    var last: [(String, String)] = []

    /// JSON of known length.
    static func json(_ json: JSON, status: Int = 200, reason: String = "OK") -> Answer {
        Answer(status: status, reason: reason, content: .json, body: Array(json.encoded.utf8))
    }

    /// JSON in one chunk.
    static func chunkedJSON(_ json: JSON) -> Answer {
        var answer = Answer.json(json)
        answer.isChunked = true
        return answer
    }

    /// A text, as some refusals are.
    static func text(_ text: String, status: Int, reason: String) -> Answer {
        Answer(status: status, reason: reason, content: .text, body: Array(text.utf8))
    }

    /// A status without content.
    static func empty(_ status: Int, _ reason: String) -> Answer {
        Answer(status: status, reason: reason, content: .none)
    }

    /// What was asked for will be done: events tell the rest.
    static var accepted: Answer { empty(204, "No Content") }

    /// 200 with the type of JSON and no byte of it.
    static var emptyJSON: Answer { Answer(status: 200, reason: "OK", content: .json) }

    static var unauthorized: Answer { Answer(status: 401, reason: "Unauthorized", content: .challenge) }

    static var preflight: Answer { Answer(status: 204, reason: "No Content", content: .preflight) }

    /// The web app's page, which 1.18.33 answers to every unknown path and every HEAD.
    static func page(hasBody: Bool) -> Answer {
        Answer(status: 200, reason: "OK", content: .page, body: hasBody ? Array(html.utf8) : [])
    }

    /// An error with its message, as older versions tell it.
    static func unknownError(_ message: String) -> Answer {
        json(
            ["name": "UnknownError", "data": ["message": .string(message)]], status: 500,
            reason: "Internal Server Error")
    }

    /// An error that 1.18.33 keeps to itself.
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

    /// The same answer without its body.
    var withoutBody: Answer {
        var answer = self
        (answer.body, answer.isChunked, answer.isHead) = ([], false, true)
        return answer
    }

    private static let html = """
        <!doctype html>
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <title>OpenCode simulator</title>
          </head>
          <body>
            <p>The real server answers unknown paths with its web app. This is its simulator.</p>
          </body>
        </html>

        """
}
