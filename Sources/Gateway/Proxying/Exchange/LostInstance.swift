// SPDX-License-Identifier: Apache-2.0

internal import Encodings
import GatewayCore
package import HTTPClient
package import HTTPServer

/// The errors for a client whose instance has not responded.
package enum LostInstance {
    /// Returns the error of a request to a project's instance on this port.
    ///
    /// - Parameter mayBeReceived: Whether the instance may have executed an operation that must not be repeated, for
    ///   this request or for an earlier request of the same response. A client that repeats the request after a 503
    ///   would then execute the operation twice.
    package static func error(
        for failure: UpstreamFailure, port: UInt16, project: String, mayBeReceived: Bool
    ) -> GatewayError {
        let doubt = mayBeReceived ? " " + doubt(project) : ""
        switch failure {
        case .refused where mayBeReceived:
            return GatewayError(502, "Cannot connect to OpenCode instance on port \(port).\(doubt)")
        case .refused: return GatewayError(503, "Cannot connect to OpenCode instance on port \(port)")
        case .outOfDescriptors:
            let advice =
                mayBeReceived
                ? "Raise the gateway's limit on open files (LimitNOFILE=, ulimit -n).\(doubt)"
                : "Try again in a moment, or raise the gateway's limit on open files (LimitNOFILE=, ulimit -n)."
            return GatewayError(
                mayBeReceived ? 502 : 503,
                "The gateway has no file descriptor left for a connection to OpenCode. \(advice)"
            )
        case .noAnswer(let reason):
            return GatewayError(
                502, "Proxy error: OpenCode ended the connection without a response (\(reason)).\(doubt)")
        case .badAnswer(let reason):
            return GatewayError(502, "Proxy error: OpenCode's response is invalid: \(reason).\(doubt)")
        case .brokenBody(let reason):
            return GatewayError(502, "Proxy error: OpenCode's response ended early: \(reason).\(doubt)")
        }
    }

    /// Returns the message of the 502 response for an instance that ended and may already have received the request.
    package static func gone(_ project: String) -> String {
        "OpenCode instance for \(project) ended before it responded. \(doubt(project))"
    }

    /// Returns the message, sent with 502, for an instance whose port another server uses now.
    package static func replaced(_ port: UInt16, _ project: String) -> String {
        "Cannot connect to OpenCode instance on port \(port): another server uses that port. \(doubt(project))"
    }

    private static func doubt(_ project: String) -> String {
        "OpenCode of project \(project) may have received the request, for example a prompt. Check the session before you send the request again."
    }

    /// Returns the message for an instance that did not respond within the time limit.
    ///
    /// - Parameter setting: The flag that sets the time limit.
    package static func late(_ project: String, after time: Duration, setting: String) -> String {
        "OpenCode instance for \(project) did not respond within \(time.text(.setting)) (\(setting)). Its turn may still be running. Check the session before you send the request again."
    }
}
