// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension SessionState {
    mutating func executionStarted() {
        isRunning = true
        hasStepped = false
        emit(.busy)
    }

    mutating func executionSucceeded(_ event: OpenCode2Event) {
        endFailedStep(event.created)
        isRunning = false
        // If the same prompt is sent twice, an execution begins and ends without a step. The `busy` status at the
        // beginning of this execution is sufficient. OpenCode 1 would also have been busy.
        if hasStepped { emit(.busy) }
        emitIdle()
        emit(.diff(sessionID: session.id, []))
    }

    mutating func executionFailed(_ event: OpenCode2Event) {
        isRunning = false
        let reason = Failure(openCode2: event["error"] ?? failure?["error"] ?? .null)
        failure = nil
        if step?.isOver == false {
            abortTurn(reason, event.created)
        } else {
            // If no step was started, OpenCode 1 sends the error twice, with `session.idle` between the two errors.
            flush()
            emit(.failed(sessionID: session.id, reason))
            emitIdle()
            if !hasStepped { emit(.failed(sessionID: session.id, reason)) }
        }
    }

    /// Translates `session.execution.interrupted`, which occurs after a user's abort, after a refusal, and when the
    /// server ends.
    mutating func executionInterrupted(_ event: OpenCode2Event) {
        isRunning = false
        let isUser = event["reason"]?.text == "user"
        if isUser, failure != nil, step?.wasRefused == false {
            failure = nil
            return abortTurn(.aborted, event.created)
        }
        if failure != nil, step?.wasRefused == true {
            endFailedStep(event.created)
            emitIdle()
            return emit(.diff(sessionID: session.id, []))
        }
        // OpenCode 1 reports no error if the session was waiting for the next attempt or had no step.
        flush()
        failure = nil
        if var current = step, !current.isOver {
            current.info.completed = event.created
            current.isOver = true
            step = current
            emit(.assistant(current.info))
        }
        emitIdle()
    }

    /// Ends a step. Emits the events in OpenCode 1's order: the error, idle, the content so far, the message with the
    /// error, and idle again.
    private mutating func abortTurn(_ reason: Failure, _ created: Number) {
        emit(.failed(sessionID: session.id, reason))
        emitIdle()
        flush()
        if var current = step {
            current.info.failure = reason
            current.info.completed = created
            current.isOver = true
            step = current
            emit(.assistant(current.info))
        }
        emitIdle()
    }
}
