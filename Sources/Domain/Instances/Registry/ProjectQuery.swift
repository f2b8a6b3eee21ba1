// SPDX-License-Identifier: Apache-2.0

internal import OpenCodeFamilies

/// The result of the query for the OpenCode project of an instance's folder, and the callers that wait for the result.
struct ProjectQuery {
    /// A response from the current run.
    struct ProjectAnswer {
        let identity: ProjectIdentity
        /// Every folder that OpenCode has opened as this project; nil if the instance did not report the folders.
        let folders: [String]?
        /// The number of the response. Later responses have greater numbers.
        let number: UInt64
        let time: SuspendingClock.Instant
    }

    /// The time for which a response is valid for callers that are not notified of changes.
    static let unwatched = Duration.seconds(10)
    /// The delay before another query to an instance that has not responded.
    private static let retry = Duration.seconds(10)

    /// The response from the current run; nil if the project must be queried.
    var answer: ProjectAnswer?
    /// The identity in the last response from any run. The value remains valid after the run, because a folder keeps
    /// its OpenCode project when the server ends.
    private(set) var lastIdentity: ProjectIdentity?
    private(set) var lastFolders: [String] = []
    /// The callers that wait for the current query; nil if no query is running.
    var waiting: [CheckedContinuation<ProjectAnswer?, Never>]?
    /// The time and the time limit of this run's last failed query.
    private var failure: (time: SuspendingClock.Instant, timeout: Duration)?

    /// Returns whether a query with the same or a longer time limit has recently failed in this run.
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

    /// Records the instance's response; nil if the instance did not respond within the time limit.
    mutating func record(_ new: ProjectAnswer?, within timeout: Duration, now: SuspendingClock.Instant = .now) {
        answer = new
        failure = new == nil ? (now, timeout) : nil
        guard let new else { return }
        lastIdentity = new.identity
        lastFolders = new.folders ?? []
    }
}
