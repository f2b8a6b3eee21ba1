// SPDX-License-Identifier: Apache-2.0

/// An error that prevents the data plane from starting.
package struct DataPlaneError: Error, CustomStringConvertible {
    /// The message that states the failure and its reason.
    package let description: String

    /// Creates an error with this message.
    package init(description: String) { self.description = description }
}
