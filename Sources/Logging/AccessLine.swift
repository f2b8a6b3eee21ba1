/// The data of one line of the access log, which describes one request.
package struct AccessLine: Sendable {
    /// The request's method as received, such as `GET`.
    package var method: String
    /// The request's path as received, undecoded, without the query.
    package private(set) var path: ArraySlice<UInt8>
    /// The status of the response; 0 if the client received none.
    package var status: Int
    /// The bytes of the response's body that were written to the client's socket.
    package var bytes: Int
    /// The time from the first byte of the request to the last byte of the response.
    package var duration: Duration
    /// The project that the request addresses; nil if the path names none.
    package var project: String?
    /// The request's ID; nil if it has none yet.
    package var requestID: String?
    /// The client's address, without its port.
    package var client: String?

    /// Creates a line for a request.
    ///
    /// - Parameter target: The raw request target. Only its path is kept, because a query can contain secrets.
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

    /// Returns the line as a record with level info and message `request`.
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

    /// Returns the target without query and fragment. In absolute form (RFC 9112 §3.2.2), also removes the authority,
    /// which can contain a password.
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
