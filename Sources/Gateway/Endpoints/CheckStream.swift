import HTTPTypes

/// `GET /check/stream`: what a client sees of it tells whether something on its way collects an answer before it passes it on.
///
/// It says nothing to proxies about buffering (`X-Accel-Buffering`): whether they do it by themselves is the question.
enum CheckStream {
    /// How many comments there are.
    static let count = 5
    /// The time from one to the next.
    static let interval = Duration.milliseconds(200)

    /// Comments (WHATWG HTML §9.2.5), each counted: `: 1`.
    static var response: ControlResponse {
        var head = ResponseHead(status: 200)
        head.fields.append("Content-Type", "text/event-stream")
        head.fields.append("Cache-Control", "no-store")
        return .stream(head) { stream in
            for number in 1...count {
                guard await stream.write(Array(": \(number)\n\n".utf8)) else { return }
                guard await stream.pause(for: interval) else { return }
            }
        }
    }
}
