// SPDX-License-Identifier: Apache-2.0

internal import OpenCodeFamilies

/// The OpenCode project of an instance's folder as far as it is known, and the callers that wait for it.
struct ProjectQuery {
    /// A response of the current run.
    struct ProjectAnswer {
        let identity: ProjectIdentity
        /// Every folder that OpenCode has opened as that project; nil if it did not respond to that request.
        let folders: [String]?
        /// The number of the response; later responses have greater numbers.
        let number: UInt64
        let time: SuspendingClock.Instant
    }

    /// How long a response is valid for callers that are not notified of changes.
    static let unwatched = Duration.seconds(10)
    /// The delay before another request to an instance that has not responded.
    private static let retry = Duration.seconds(10)

    /// The response of the current run; nil if it must be requested.
    var answer: ProjectAnswer?
    /// The identity in the last response of any run. The project of a folder outlives its server.
    private(set) var lastIdentity: ProjectIdentity?
    private(set) var lastFolders: [String] = []
    /// The callers that wait for the current request; nil if there is none.
    var waiting: [CheckedContinuation<ProjectAnswer?, Never>]?
    /// The time of the last failed request of this run, with its time limit.
    private var failure: (time: SuspendingClock.Instant, timeout: Duration)?

    /// Returns whether a request of this run with the same or a longer time limit has failed recently.
    func hasJustFailed(within timeout: Duration, now: SuspendingClock.Instant = .now) -> Bool {
        failure.map { $0.timeout >= timeout && $0.time.duration(to: now) < Self.retry } ?? false
    }

    /// Returns whether the response is recent enough for callers that are not notified of changes.
    func isFresh(now: SuspendingClock.Instant = .now) -> Bool {
        answer.map { $0.time.duration(to: now) < Self.unwatched } ?? false
    }

    /// Resets the state for a new run.
    mutating func resetRun() {
        answer = nil
        failure = nil
    }

    /// Records the response of the instance; nil if it did not respond within the time limit.
    mutating func record(_ new: ProjectAnswer?, within timeout: Duration, now: SuspendingClock.Instant = .now) {
        answer = new
        failure = new == nil ? (now, timeout) : nil
        guard let new else { return }
        lastIdentity = new.identity
        lastFolders = new.folders ?? []
    }
}
