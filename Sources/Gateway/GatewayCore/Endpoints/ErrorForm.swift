// SPDX-License-Identifier: Apache-2.0

package import HTTPServer

/// The form of the gateway's errors in another client protocol than its own.
package struct ErrorForm: Sendable {
    /// Returns whether a request target belongs to the protocol.
    package let applies: @Sendable (ArraySlice<UInt8>) -> Bool
    /// Returns an error of the gateway in the protocol's form.
    package let convert: @Sendable (GatewayAnswer) -> GatewayAnswer
    /// The answer to a request that the gateway's shutdown has interrupted, and that must not be repeated blindly.
    package let interrupted: GatewayAnswer

    /// Creates a form.
    package init(
        applies: @escaping @Sendable (ArraySlice<UInt8>) -> Bool,
        convert: @escaping @Sendable (GatewayAnswer) -> GatewayAnswer, interrupted: GatewayAnswer
    ) {
        self.applies = applies
        self.convert = convert
        self.interrupted = interrupted
    }
}
