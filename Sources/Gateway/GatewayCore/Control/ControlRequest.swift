// SPDX-License-Identifier: Apache-2.0

package import Access
package import Addresses
import EventLoop
package import HTTPServer
package import HTTPTypes
package import Projects

/// A checked request, in the form that a handler of the control plane receives. The value does not refer to the
/// client's connection, so the value may leave the loop's thread.
package struct ControlRequest: Sendable {
    /// The principal that has sent the request; nil if the gateway admitted the request without a key.
    package var principal: Principal?
    /// The client's address; nil if it is unknown.
    package var client: IPAddress?
    /// The project that the path names; nil if it names none.
    package var project: ProjectName?
    /// The variable segments of the path by name, still percent-encoded.
    package var parameters: [String: ArraySlice<UInt8>] = [:]
    /// The parameters after the path's `?`.
    package var query = RequestQuery([])
    /// The body, which satisfies the endpoint's ``BodyRule``; empty if the rule ignores bodies.
    package var body: [UInt8] = []
    /// Whether the handler's task is cancelled when the client disconnects (``Endpoint/isCancelledWithoutClient``).
    var isCancelledWithoutClient = false
}

/// The response of a handler.
package enum ControlResponse: Sendable {
    /// A head and a complete body.
    case answer(GatewayAnswer)
    /// An error, which the loop renders in the form of the client's protocol.
    case error(GatewayError)
    /// A head and a streamed body. The body ends when `source` returns. The loop calls `source` only if the client can
    /// receive a body. With `isPaced`, ``ResponseStream/write(_:)`` waits for the client. Without `isPaced`, the
    /// gateway disconnects a client if more than `--stream-backlog` bytes wait for it.
    case stream(ResponseHead, isPaced: Bool = true, source: @Sendable (ResponseStream) async -> Void)
    /// The request is valid, and a feature of the loop serves it.
    case loop(@Sendable (ClientConnection, GatewayLoop) -> Void)
}
