// SPDX-License-Identifier: Apache-2.0

internal import Dialects

/// The state of an abort until both of its final events have been received: the session's `session.idle` and the last
/// event of the message that was being written. OpenCode before 1.18 sends `session.idle` first, and the message's
/// event 20 to 60 ms later. A translated OpenCode 2 sends both after the response to the abort. A prompt that is sent
/// before both events is lost, or counts as answered at the late `session.idle`.
package struct Abort: Sendable, Equatable {
    /// The maximum time in milliseconds to wait for these events. In OpenCode 1.2.27, an abort between two retries
    /// changed no message, so the message's event never arrived.
    package static let patience = 2_000

    /// The message that is being written; nil if none has begun.
    private(set) var message: String?
    private(set) var isIdle: Bool

    /// Creates an abort; nil if nothing is running.
    ///
    /// - Parameters:
    ///   - message: The last message that has begun.
    ///   - isComplete: Whether that message is complete.
    ///   - isWorking: Whether `session.idle` has not been received yet.
    init?(message: String?, isComplete: Bool, isWorking: Bool) {
        let open = isComplete ? nil : message
        guard isWorking || open != nil else { return nil }
        self.message = open
        isIdle = !isWorking
    }

    /// Whether no more events of the aborted work are expected.
    var hasEnded: Bool { isIdle && message == nil }

    mutating func becomeIdle() { isIdle = true }

    /// Processes an event of a message of the session.
    mutating func receive(_ id: String, isComplete: Bool) {
        if !isComplete {
            // OpenCode's loop had already begun another step, so wait for the end of that step's message.
            message = id
        } else if message == id {
            message = nil
        }
    }
}
