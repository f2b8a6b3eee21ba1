// SPDX-License-Identifier: Apache-2.0

package import HTTPServer

/// The format of the gateway's errors in a client protocol other than the gateway's own.
package struct ErrorRenderer: Sendable {
    /// Returns whether a request target belongs to the protocol.
    package let applies: @Sendable (ArraySlice<UInt8>) -> Bool
    /// Returns the response for one of the gateway's errors, in the protocol's format.
    package let render: @Sendable (GatewayError) -> GatewayAnswer
    /// The error for a request that the gateway's shutdown interrupts. The error tells the client to check the result
    /// before repeating the request.
    package let interrupted: GatewayError

    /// Creates a renderer for a protocol.
    package init(
        applies: @escaping @Sendable (ArraySlice<UInt8>) -> Bool,
        render: @escaping @Sendable (GatewayError) -> GatewayAnswer, interrupted: GatewayError
    ) {
        self.applies = applies
        self.render = render
        self.interrupted = interrupted
    }
}
