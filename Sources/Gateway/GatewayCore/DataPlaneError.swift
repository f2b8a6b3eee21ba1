// SPDX-License-Identifier: Apache-2.0

/// The error of a data plane that could not be set up.
package struct DataPlaneError: Error, CustomStringConvertible {
    /// The sentence that states what failed and why.
    package let description: String

    /// Creates an error with this sentence.
    package init(description: String) { self.description = description }
}
