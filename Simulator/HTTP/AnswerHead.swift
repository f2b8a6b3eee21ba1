// SPDX-License-Identifier: Apache-2.0

/// The header fields of a response, in the order that the version's framework uses.
struct AnswerHead {
    let profile: Profile
    let answer: SimulatedAnswer
    /// The `Origin` field of the request; nil if there is none.
    let origin: String?

    private var length: (String, String) { ("Content-Length", "\(answer.body.count)") }
    private var date: (String, String) { ("Date", Clock.httpDate) }
    private var isAllowed: Bool {
        ["http://localhost:", "http://127.0.0.1:"].contains { origin?.hasPrefix($0) == true }
    }

    /// The CORS field for an allowed origin.
    private var allowOrigin: [(String, String)] {
        isAllowed ? [("Access-Control-Allow-Origin", origin ?? "")] : []
    }

    var fields: [(String, String)] {
        answer.first + (profile.framework == .hono ? hono : effect + answer.last)
    }

    /// Returns the header fields of an event stream.
    static func stream(_ profile: Profile) -> [(String, String)] {
        profile.events.head.map { line in
            guard let colon = line.firstIndex(of: ":") else { return (line, Clock.httpDate) }
            return (String(line[..<colon]), String(line[line.index(colon, offsetBy: 2)...]))
        }
    }

    private var hono: [(String, String)] {
        let vary = ("Vary", "Origin")
        switch answer.content {
        case .preflight:
            return allowOrigin + [
                vary, ("Access-Control-Allow-Methods", "GET,HEAD,PUT,POST,DELETE,PATCH"), date, length,
            ]
        case .challenge:
            return [
                ("WWW-Authenticate", "Basic realm=\"Secure Area\""), ("content-type", "application/octet-stream"), date,
                length,
            ]
        case .text: return allowOrigin + [vary, ("content-type", "application/octet-stream"), date, length]
        case .json, .none, .page:
            let start = allowOrigin + [("Content-Type", "application/json"), vary]
            if answer.isHead { return start + [("content-length", "0")] }
            return start + answer.last + [date, answer.isChunked ? ("Transfer-Encoding", "chunked") : length]
        }
    }

    private var effect: [(String, String)] {
        // The response to a request from a foreign origin has neither `Access-Control-Allow-Origin` nor `Vary: Origin`.
        let vary = allowOrigin + (origin == nil || isAllowed ? [("Vary", "Origin")] : [])
        switch answer.content {
        case .json where answer.isChunked:
            return [("Content-Type", "application/json")] + vary + [date, ("Transfer-Encoding", "chunked")]
        case .json, .text:
            return [("Content-Type", "application/json"), date, length] + encoding + vary
        case .none: return vary + [date, length]
        case .challenge: return vary + [("www-authenticate", "Basic realm=\"Secure Area\""), date, length]
        case .preflight:
            return allowOrigin + [
                ("Vary", "Origin"), ("Access-Control-Allow-Methods", "GET, HEAD, PUT, PATCH, POST, DELETE"),
                ("Access-Control-Allow-Headers", ""), ("Access-Control-Max-Age", "86400"), date, length,
            ]
        case .page:
            let policy = "default-src 'self'; img-src 'self' data: https: blob:; connect-src * data: blob:"
            return [("Content-Security-Policy", policy), ("Content-Type", "text/html")] + vary + [date, length]
        }
    }

    private var encoding: [(String, String)] { answer.isCompressed ? [("Content-Encoding", "gzip")] : [] }
}
