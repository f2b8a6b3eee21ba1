// SPDX-License-Identifier: Apache-2.0

/// The requests that a key may send. Each scope includes the scopes before it.
package enum Scope: String, Sendable, Comparable, CaseIterable, CustomStringConvertible {
    /// Requests and streams that change nothing.
    case read
    /// Answers to permissions and questions. A permission may be granted once or rejected. The scope is meant for
    /// watches, lock screens and links.
    case answer
    /// The start of an instance, and everything that works on sessions: prompts, aborts, reverts, permissions that are
    /// granted for ever, and files through the API.
    case write
    /// Stop and restart, shells, terminals, MCP servers, configuration, provider credentials, worktrees and logs.
    case run
    /// The gateway's keys, audit log and settings. No request to an instance needs this scope.
    case admin

    /// Returns whether the right scope includes the left scope and more.
    package static func < (left: Scope, right: Scope) -> Bool { left.rank < right.rank }

    /// The text form, which the command line and the HTTP API use.
    package var description: String { rawValue }

    private var rank: Int {
        switch self {
        case .read: 0
        case .answer: 1
        case .write: 2
        case .run: 3
        case .admin: 4
        }
    }
}
