// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The access log's line about one request.
package struct AccessLine: Sendable {
    /// The request's method as received, such as `GET`.
    package var method: String
    /// The request's path as received, undecoded, and without parts that can contain a secret.
    package private(set) var path: ArraySlice<UInt8>
    /// The status of the response; 0 if the client received none.
    package var status: Int
    /// The number of bytes of the response's body that were written to the client's socket.
    package var bytes: Int
    /// The time from the first byte of the request to the last byte of the response.
    package var duration: Duration
    /// The project that the request addresses; nil if the path names none.
    package var project: String?
    /// The name of the key that admitted the request; nil if no key did.
    package var key: String?
    /// The request's ID; nil if it has none yet.
    package var requestID: String?
    /// The client's address, without its port.
    package var client: String?

    /// Creates a line for a request.
    ///
    /// - Parameter target: The raw request target. Only its path is kept, because a query can contain secrets.
    package init(
        method: String, target: ArraySlice<UInt8>, status: Int, bytes: Int, duration: Duration,
        project: String? = nil, key: String? = nil, requestID: String? = nil, client: String? = nil
    ) {
        self.method = method
        path = Self.path(of: target)
        self.status = status
        self.bytes = bytes
        self.duration = duration
        self.project = project
        self.key = key
        self.requestID = requestID
        self.client = client
    }

    /// Returns the line as a record with level info and message `request`.
    package func record(time: Int64) -> LogRecord {
        var fields: [LogField] = []
        fields.reserveCapacity(9)
        fields.append(LogField("method", .text(Self.limited(method))))
        fields.append(LogField("path", .bytes(Self.limited(path))))
        fields.append(LogField("status", .integer(status)))
        fields.append(LogField("bytes", .integer(bytes)))
        fields.append(LogField("duration_ms", .duration(duration)))
        if let project { fields.append(LogField("project", .text(project))) }
        if let key { fields.append(LogField("key", .text(key))) }
        if let requestID { fields.append(LogField("request_id", .text(requestID))) }
        if let client { fields.append(LogField("client", .text(client))) }
        return LogRecord(time: time, level: .info, message: "request", fields: fields)
    }

    /// The maximum size of a logged path in bytes, after escaping.
    private static let longestPath = 512
    /// The maximum length of one encoded byte: `\u{1b}` or `\u001b`.
    private static let longestEscape = 6
    private static let longestMethod = 32
    private static let ellipsis = Array("…".utf8)

    /// Returns a method that is short enough for the log. A client can send any token as the method.
    private static func limited(_ method: String) -> String {
        method.utf8.count <= longestMethod ? method : "\(method.prefix(longestMethod))…"
    }

    /// Returns the part of a path that is short enough for the log. Clients can send any path, even without a key.
    private static func limited(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard path.count * longestEscape > longestPath else { return path }
        let bytes = path.span
        var size = 0
        // The length of the longest prefix after which the ellipsis still fits.
        var fitting = 0
        var index = 0
        while index < bytes.count {
            let scan = UTF8Scan(bytes, at: index)
            size += escapedSize(scan)
            guard size <= longestPath else { return path.prefix(fitting) + ellipsis }
            index += scan.length
            if size <= longestPath - ellipsis.count { fitting = index }
        }
        return path
    }

    /// Returns the maximum number of bytes that any encoder writes for a character.
    private static func escapedSize(_ scan: UTF8Scan) -> Int {
        switch scan.scalar {
        case nil: 4
        case 0x22, 0x5C: 2
        // The longest encoding is `\u{2028}`.
        case let scalar? where UTF8Scan.isDangerous(scalar): 8
        default: scan.length
        }
    }

    /// Returns the path of a target without the parts that can contain a secret: query, fragment, parameters, and the
    /// authority of the absolute form (RFC 9112 §3.2.2). The authority form (§3.2.3) and invalid targets have no path.
    private static func path(of target: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var end = target.startIndex
        var mayHaveParameters = false
        scan: while end < target.endIndex {
            switch target[end] {
            case ASCII.questionMark, ASCII.hash: break scan
            case ASCII.semicolon, ASCII.percent, ASCII.ampersand: mayHaveParameters = true
            default: break
            }
            end += 1
        }
        let path = withoutAuthority(target[..<end])
        return mayHaveParameters ? withoutParameters(path) : path
    }

    private static func withoutAuthority(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = path.first, first != ASCII.slash else { return path }
        if first == ASCII.asterisk, path.count == 1 { return path }
        guard let colon = path.firstIndex(of: ASCII.colon),
            path[colon...].starts(with: [ASCII.colon, ASCII.slash, ASCII.slash]),
            let slash = path[(colon + 3)...].firstIndex(of: ASCII.slash)
        else { return path[path.endIndex...] }
        return path[slash...]
    }

    /// Truncates a path at the first parameter delimiter if a value follows it. OpenCode's router treats the text after
    /// a `;` as the query. A client may have percent-encoded any delimiter, even several times.
    private static func withoutParameters(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var delimiter: Int?
        var index = path.startIndex
        while index < path.endIndex {
            let (character, next) = character(at: index, of: path)
            switch character {
            case ASCII.semicolon, ASCII.ampersand, ASCII.questionMark, ASCII.hash: delimiter = delimiter ?? index
            case ASCII.equals: if let delimiter { return path[..<delimiter] }
            default: break
            }
            index = next
        }
        return path
    }

    /// Returns the character that begins at `index`, after removing all levels of percent-encoding, and the index of
    /// the next character.
    private static func character(at index: Int, of path: ArraySlice<UInt8>) -> (UInt8, next: Int) {
        guard path[index] == ASCII.percent else { return (path[index], index + 1) }
        var digits = index + 1
        while digits + 1 < path.endIndex, let byte = Hexadecimal.byte(path[digits], path[digits + 1]) {
            guard byte == ASCII.percent else { return (byte, digits + 2) }
            digits += 2
        }
        return (ASCII.percent, index + 1)
    }
}
