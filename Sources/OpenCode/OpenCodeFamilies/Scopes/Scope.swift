// SPDX-License-Identifier: Apache-2.0

/// A set of requests that a key may send. Each scope includes all scopes that are declared before it.
package enum Scope: String, Sendable, Comparable, CaseIterable, CustomStringConvertible {
    /// Requests and streams that change nothing.
    case read
    /// Replies to permission requests and questions. A key may grant a permission once, or reject the request. The
    /// scope is intended for watches, lock screens and links.
    case answer
    /// The start of an instance, and all work in sessions: prompts, aborts, reverts, permanent grants of permissions,
    /// and access to files through the API.
    case write
    /// Stops and restarts of an instance, shells, terminals, MCP servers, configuration, provider credentials,
    /// worktrees and logs.
    case run
    /// The gateway's keys, audit log and settings. No request to an instance needs this scope.
    case admin

    /// Returns whether the scope `left` precedes the scope `right`. The scope `right` then includes `left`.
    package static func < (left: Scope, right: Scope) -> Bool { left.rank < right.rank }

    /// The name of the scope in the command line and in the HTTP API.
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
