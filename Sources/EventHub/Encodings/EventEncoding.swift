/// How the text of a growing part is told to a client of OpenCode 1. OpenCode 2's events are the same in every form.
package enum EventEncoding: String, Sendable, CaseIterable {
    /// As it came.
    case raw
    /// Piece by piece, `message.part.delta`, as OpenCode does from 1.2.0 on.
    case delta
    /// `message.part.updated` with the whole text so far and what was added, as OpenCode does to 1.1.x; at most 10 a second
    /// for each part.
    case full
}
