// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The header fields of a response, in the order that OpenCode 2 uses.
struct AnswerHead2 {
    let answer: SimulatedAnswer
    let request: Request

    private var origin: String? { request.fields.first("Origin") }
    private var isAllowed: Bool {
        ["http://localhost:", "http://127.0.0.1:"].contains { origin?.hasPrefix($0) == true }
    }

    private var allowOrigin: [(String, String)] {
        isAllowed ? [("access-control-allow-origin", origin ?? "")] : []
    }
    private var connection: [(String, String)] {
        let options = request.fields.values(of: "Connection").joined(separator: ",").lowercased()
        if options.contains("close") { return [("Date", Clock.httpDate), ("Connection", "close")] }
        // The response to a rejected upgrade contains no keep-alive time-out.
        let limit = options.contains("upgrade") ? [] : [("Keep-Alive", "timeout=5")]
        return [("Date", Clock.httpDate), ("Connection", "keep-alive")] + limit
    }
    /// Whether the response has `Vary: Origin`. OpenCode 2 omits this field for a foreign origin.
    private var variesByOrigin: Bool { origin == nil || isAllowed }

    /// The header fields of an event stream.
    static var stream: [(String, String)] {
        [
            ("cache-control", "no-cache, no-transform"), ("x-accel-buffering", "no"),
            ("x-content-type-options", "nosniff"), ("content-type", "text/event-stream"), ("vary", "Origin"),
            ("Date", Clock.httpDate), ("Connection", "keep-alive"), ("Keep-Alive", "timeout=5"),
            ("Transfer-Encoding", "chunked"),
        ]
    }

    /// The header fields of a session's log.
    static var log: [(String, String)] {
        [
            ("content-type", "text/event-stream"), ("vary", "Origin, Accept-Encoding"), ("Date", Clock.httpDate),
            ("Connection", "keep-alive"), ("Keep-Alive", "timeout=5"), ("Transfer-Encoding", "chunked"),
        ]
    }

    var fields: [(String, String)] {
        switch answer.content {
        case .preflight: preflight
        case .none: answer.first + allowOrigin + vary(nil) + connection + framing
        case .challenge:
            [("www-authenticate", "Basic realm=\"Secure Area\"")] + allowOrigin + vary(nil) + connection + framing
        case .page: page + connection + framing
        case .json, .text: content
        }
    }

    private var content: [(String, String)] {
        // For a file, `first` contains the content type of the file.
        let type = answer.content == .json ? [("content-type", "application/json")] : answer.first
        let coding = answer.isCompressed ? [("content-encoding", "gzip")] : []
        return type + [("content-length", "\(answer.body.count)")] + allowOrigin + vary("Accept-Encoding") + coding
            + connection
    }

    private func vary(_ other: String?) -> [(String, String)] {
        let names = (variesByOrigin ? ["Origin"] : []) + (other.map { [$0] } ?? [])
        return names.isEmpty ? [] : [("vary", names.joined(separator: ", "))]
    }

    private var framing: [(String, String)] { answer.isChunked ? [("Transfer-Encoding", "chunked")] : [] }

    private var preflight: [(String, String)] {
        let vary = ("vary", "Access-Control-Request-Headers")
        let methods = ("access-control-allow-methods", "GET, HEAD, PUT, PATCH, POST, DELETE")
        let fields = ("access-control-allow-headers", request.fields.first("Access-Control-Request-Headers") ?? "")
        return allowOrigin + (isAllowed ? [vary, methods] : [methods, vary])
            + [fields, ("access-control-max-age", "86400")] + connection
    }

    private var page: [(String, String)] {
        let policy =
            "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
            + "img-src 'self' data: https: blob:; font-src 'self' data:; media-src 'self' data:; "
            + "connect-src * data: blob:"
        return [
            ("content-type", "text/html"), ("cache-control", "no-cache"), ("content-security-policy", policy),
            ("x-content-type-options", "nosniff"),
        ] + allowOrigin + vary("Accept-Encoding")
    }
}

extension SimulatedAnswer {
    /// Returns a response with an empty body in OpenCode 2's framing.
    static func blank(_ status: Int, _ reason: String) -> SimulatedAnswer {
        SimulatedAnswer(status: status, reason: reason, content: .none, isChunked: true)
    }

    /// OpenCode 2's response to missing or wrong credentials.
    static var unauthorized2: SimulatedAnswer {
        SimulatedAnswer(status: 401, reason: "Unauthorized", content: .challenge, isChunked: true)
    }

    /// OpenCode 2's web app, which is the response to every GET request outside `/api`.
    static var webApp: SimulatedAnswer {
        var answer = page(hasBody: true)
        answer.isChunked = true
        return answer
    }

    /// Returns an error response of OpenCode 2. The body consists of the error's tag and further members.
    static func error(_ status: Int, _ reason: String, tag: String, members: [(String, JSON)]) -> SimulatedAnswer {
        json(.object([]).adding([("_tag", .string(tag))] + members), status: status, reason: reason)
    }
}
