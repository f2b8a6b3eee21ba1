/// What the access log says about one request.
package struct AccessLine: Sendable {
    /// The request's method as it came, such as `GET`.
    package var method: String
    /// The request's path as it came, undecoded, without query.
    package private(set) var path: ArraySlice<UInt8>
    /// Status of the answer; 0 where the client got none.
    package var status: Int
    /// Bytes of the answer's body that were handed to the client's socket.
    package var bytes: Int
    /// From the request's first byte to the answer's last one.
    package var duration: Duration
    /// The project that the request is for; nil where there is none of the name in the path.
    package var project: String?
    /// The request's id; nil where none was given yet.
    package var requestID: String?
    /// The client's address, without its port.
    package var client: String?

    /// A line about a request for the raw `target`, of which only the path is kept: a query can hold secrets.
    package init(
        method: String, target: ArraySlice<UInt8>, status: Int, bytes: Int, duration: Duration,
        project: String? = nil, requestID: String? = nil, client: String? = nil
    ) {
        self.method = method
        path = Self.path(of: target)
        self.status = status
        self.bytes = bytes
        self.duration = duration
        self.project = project
        self.requestID = requestID
        self.client = client
    }

    /// The record of the line: level info, message `request`.
    package func record(time: Int64) -> LogRecord {
        var fields: [LogField] = []
        fields.reserveCapacity(8)
        fields.append(LogField("method", .text(method)))
        fields.append(LogField("path", .bytes(path)))
        fields.append(LogField("status", .integer(status)))
        fields.append(LogField("bytes", .integer(bytes)))
        fields.append(LogField("duration_ms", .duration(duration)))
        if let project { fields.append(LogField("project", .text(project))) }
        if let requestID { fields.append(LogField("request_id", .text(requestID))) }
        if let client { fields.append(LogField("client", .text(client))) }
        return LogRecord(time: time, level: .info, message: "request", fields: fields)
    }

    /// The target without query and fragment and, in absolute form (RFC 9112 §3.2.2), without the authority, which can
    /// hold a password.
    private static func path(of target: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = target.firstIndex { $0 == ASCII.questionMark || $0 == ASCII.hash } ?? target.endIndex
        let path = target[..<end]
        guard let first = path.first, first != ASCII.slash,
            let colon = path.firstIndex(of: ASCII.colon),
            path[colon...].starts(with: [ASCII.colon, ASCII.slash, ASCII.slash])
        else { return path }
        let authority = path[(colon + 3)...]
        guard let slash = authority.firstIndex(of: ASCII.slash) else { return path[path.endIndex...] }
        return authority[slash...]
    }
}
