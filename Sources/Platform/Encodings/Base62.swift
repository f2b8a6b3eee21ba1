// SPDX-License-Identifier: Apache-2.0

/// The base-62 encoding of the random part of OpenCode's ids.
package enum Base62 {
    /// The digits in ASCII order.
    package static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
}
