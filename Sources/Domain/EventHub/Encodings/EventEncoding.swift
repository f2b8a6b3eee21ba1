// SPDX-License-Identifier: Apache-2.0

/// How a client of OpenCode 1 receives the text of a growing part. OpenCode 2's events are the same in every encoding.
package enum EventEncoding: String, Sendable, CaseIterable {
    /// Unchanged, as the instance sent it.
    case raw
    /// As deltas (`message.part.delta`), as OpenCode sends them since 1.2.0.
    case delta
    /// As `message.part.updated` with the whole text so far and the added text, as OpenCode up to 1.1.x sends it; at
    /// most 10 per second for each part.
    case full
}
