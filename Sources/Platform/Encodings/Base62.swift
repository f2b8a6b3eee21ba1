// SPDX-License-Identifier: Apache-2.0

/// Base 62, in which OpenCode writes the random part of its ids.
package enum Base62 {
    /// The digits in the order of ASCII.
    package static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
}
