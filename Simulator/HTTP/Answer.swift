// SPDX-License-Identifier: Apache-2.0

/// A response without the header fields that every response has.
struct SimulatedAnswer: Sendable {
    /// The kind of the body.
    enum Content: Sendable {
        case json
        case text
        case page
        /// No body and no content type.
        case none
        /// The rejection of missing or wrong credentials.
        case challenge
        /// The response to an OPTIONS request.
        case preflight
    }

    var status: Int
    var reason: String
    var content: Content
    var body: [UInt8] = []
    /// Whether the body is sent in one chunk, as on `/session/ID/message` at the end of the turn.
    var isChunked = false
    /// Whether the body is compressed with gzip.
    var isCompressed = false
    /// Whether the body is omitted, as in the response to a HEAD request.
    var isHead = false
    /// The header fields before the usual fields.
    var first: [(String, String)] = []
    /// The header fields after the usual fields or before `Date`.
    var last: [(String, String)] = []

    /// Returns a JSON response with a known length.
    static func json(_ json: JSON, status: Int = 200, reason: String = "OK") -> SimulatedAnswer {
        SimulatedAnswer(status: status, reason: reason, content: .json, body: Array(json.encoded.utf8))
    }

    /// Returns a JSON response in one chunk.
    static func chunkedJSON(_ json: JSON) -> SimulatedAnswer {
        var answer = SimulatedAnswer.json(json)
        answer.isChunked = true
        return answer
    }

    /// Returns a plain-text response, which some errors have.
    static func text(_ text: String, status: Int, reason: String) -> SimulatedAnswer {
        SimulatedAnswer(status: status, reason: reason, content: .text, body: Array(text.utf8))
    }

    /// Returns a response with a status and no content.
    static func empty(_ status: Int, _ reason: String) -> SimulatedAnswer {
        SimulatedAnswer(status: status, reason: reason, content: .none)
    }

    /// The response to an accepted request whose result is reported by events.
    static var accepted: SimulatedAnswer { empty(204, "No Content") }

    /// A response with status 200, the content type `application/json` and an empty body.
    static var emptyJSON: SimulatedAnswer { SimulatedAnswer(status: 200, reason: "OK", content: .json) }

    static var unauthorized: SimulatedAnswer {
        SimulatedAnswer(status: 401, reason: "Unauthorized", content: .challenge)
    }

    static var preflight: SimulatedAnswer { SimulatedAnswer(status: 204, reason: "No Content", content: .preflight) }

    /// Returns the web app's page, with which 1.18.33 responds to every unknown path and every HEAD request.
    static func page(hasBody: Bool) -> SimulatedAnswer {
        SimulatedAnswer(status: 200, reason: "OK", content: .page, body: hasBody ? Array(html.utf8) : [])
    }

    /// Returns an error response with a message in the format of older versions.
    static func unknownError(_ message: String) -> SimulatedAnswer {
        json(
            ["name": "UnknownError", "data": ["message": .string(message)]], status: 500,
            reason: "Internal Server Error")
    }

    /// The error response of 1.18.33 that contains no details of the error.
    static var unexpected: SimulatedAnswer {
        json(
            [
                "name": "UnknownError",
                "data": [
                    "message": "Unexpected server error. Check server logs for details.",
                    "ref": .string(Identifier.errorReference()),
                ],
            ], status: 500, reason: "Internal Server Error")
    }

    /// The same response without its body.
    var withoutBody: SimulatedAnswer {
        var answer = self
        answer.body = []
        answer.isChunked = false
        answer.isHead = true
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
