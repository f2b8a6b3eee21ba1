// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A parsed request, as the routes use it.
struct Request {
    let method: String
    /// The path segments, percent-decoded individually.
    let segments: [String]
    let query: [String: String]
    let fields: [TestField]
    let body: [UInt8]

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - delimiters: The characters that end the path and begin the query.
    ///   - resolvesDots: Whether `.` and `..` in the path are resolved before the path is decoded.
    init(_ request: ReceivedRequest, endsPathAt delimiters: Set<Character> = ["?"], resolvesDots: Bool = false) {
        method = request.method
        fields = request.fields
        body = request.body
        let target = request.target.split(maxSplits: 1, omittingEmptySubsequences: false) { delimiters.contains($0) }
        let raw = target[0].split(separator: "/")
        segments = (resolvesDots ? Request.resolved(raw) : raw).map(Request.decode)
        var query: [String: String] = [:]
        for pair in target.dropFirst().first?.split(separator: "&") ?? [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // Use the first value, as URLSearchParams.get does.
            let name = Request.decode(sides[0])
            if query[name] == nil { query[name] = sides.count > 1 ? Request.decode(sides[1]) : "" }
        }
        self.query = query
    }

    /// The segments, joined with slashes.
    var path: String { segments.joined(separator: "/") }

    /// Returns the same request with another method.
    func with(method: String) -> Request {
        Request(method: method, segments: segments, query: query, fields: fields, body: body)
    }

    private init(method: String, segments: [String], query: [String: String], fields: [TestField], body: [UInt8]) {
        self.method = method
        self.segments = segments
        self.query = query
        self.fields = fields
        self.body = body
    }

    /// Returns the directory of the request. The directory in the query takes precedence over the directory in the
    /// header field. If the request names no directory, the result is `own`.
    func directory(default own: String) -> String {
        query["directory"] ?? fields.first("x-opencode-directory").map { Request.decode($0[...]) } ?? own
    }

    /// The body as JSON; nil if the body is invalid. A missing body counts as an empty object.
    var json: JSON? {
        body.isEmpty ? [:] : try? JSONParser.parse(body)
    }

    private static func resolved(_ segments: [Substring]) -> [Substring] {
        segments.reduce(into: []) { resolved, segment in
            switch segment {
            case ".": break
            case "..": _ = resolved.popLast()
            default: resolved.append(segment)
            }
        }
    }

    static func decode(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var remainder = Array(text.utf8)[...]
        while let byte = remainder.popFirst() {
            if byte == UInt8(ascii: "%"), remainder.count >= 2,
                let value = UInt8(String(decoding: remainder.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                remainder = remainder.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
