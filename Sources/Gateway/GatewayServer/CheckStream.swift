// SPDX-License-Identifier: Apache-2.0

import GatewayCore
import HTTPTypes
import Proxying

/// The response of `GET /check/stream`. A client uses the response to detect whether an intermediary buffers a response
/// before forwarding it.
///
/// The response's head equals the head of the gateway's other event streams, because the check concerns those streams.
enum CheckStream {
    /// The number of comments in a complete stream.
    static let count = 5
    /// The time between two comments.
    static let interval = Duration.milliseconds(200)

    /// The number of comments before the end of an aborted stream.
    static let countBeforeAbort = 2

    /// Returns a stream of numbered comments (WHATWG HTML §9.2.5), such as `: 1`.
    ///
    /// With the parameter `end=abort`, the stream ends without its last chunk, as when an instance dies. A
    /// proxy that turns this end into a complete response hides the loss from clients. OpenCode's official SDK
    /// then does not reconnect.
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
