// SPDX-License-Identifier: Apache-2.0

package import HTTPServer

/// The form of the gateway's errors in a client protocol other than its own.
package struct ErrorRenderer: Sendable {
    /// Returns whether a request target belongs to the protocol.
    package let applies: @Sendable (ArraySlice<UInt8>) -> Bool
    /// Returns the response for an error of the gateway in the protocol's form.
    package let render: @Sendable (GatewayError) -> GatewayAnswer
    /// The error of a request that was interrupted by the gateway's shutdown and must not be repeated without a check.
    package let interrupted: GatewayError

    /// Creates a form for a protocol.
    package init(
        applies: @escaping @Sendable (ArraySlice<UInt8>) -> Bool,
        render: @escaping @Sendable (GatewayError) -> GatewayAnswer, interrupted: GatewayError
    ) {
        self.applies = applies
        self.render = render
        self.interrupted = interrupted
    }
}
