import HTTPTypes

/// `GET /check/stream`: what a client sees of it tells whether something on its way collects an answer before it passes it on.
///
/// Its head is that of every event stream of the gateway's: whether those pass unhindered is the question.
enum CheckStream {
    /// How many comments there are.
    static let count = 5
    /// The time from one to the next.
    static let interval = Duration.milliseconds(200)

    /// How many comments precede the end of a stream that is aborted.
    static let countBeforeAbort = 2

    /// Returns a stream of comments (WHATWG HTML §9.2.5), each counted: `: 1`.
    ///
    /// With the parameter `end=abort` the stream ends without its last chunk, as when an instance dies. A proxy that makes a complete
    /// answer of that hides the loss from clients: OpenCode's official SDK then does not connect again.
    static func response(_ query: RequestQuery) -> ControlResponse {
        let aborts = query["end"] == "abort"
        var head = ResponseHead(status: 200)
        head.fields.append("Content-Type", "text/event-stream")
        head.fields.appendStreamDirectives()
        return .stream(head) { stream in
            for number in 1...(aborts ? countBeforeAbort : count) {
                guard await stream.write(Array(": \(number)\n\n".utf8)) else { return }
                guard await stream.pause(for: interval) else { return }
            }
            if aborts { stream.abort() }
        }
    }
}
