// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The duration in whole milliseconds. A fraction is omitted.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
