// SPDX-License-Identifier: Apache-2.0

/// The format in which a client of OpenCode 1 receives a text that the model is still writing. OpenCode 2's events are
/// the same in every encoding.
package enum EventEncoding: String, Sendable, CaseIterable {
    /// The events are exactly as the instance sent them.
    case raw
    /// Each text is sent as deltas (`message.part.delta`), as in OpenCode 1.2.0 and later.
    case delta
    /// Each text is sent as `message.part.updated` with the whole text so far and the added text, as in OpenCode up to
    /// 1.1.x. Each part is sent at most 10 times per second.
    case full
}
