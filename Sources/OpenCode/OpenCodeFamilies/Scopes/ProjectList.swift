// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// A list of OpenCode that names other projects of the same user. All servers of a user share one database.
package enum ProjectList: Sendable, CaseIterable {
    /// The projects that were ever opened: `/project` (with the member `worktree`) and `/api/project` (`canonical`).
    /// The list `sandboxes` contains the project's worktrees.
    case projects
    /// The sessions of all projects, with the member `directory`: `/experimental/session`.
    case sessions
    /// The sessions that run, as a map from their ids: `/api/session/active`.
    case activeSessions
    /// Directories, or objects with the member `directory`: `/project/{projectID}/directories`, `/api/worktree`,
    /// `/experimental/worktree` and `/experimental/workspace`.
    case directories

    /// The property of an entry that determines its project.
    package enum Owner: Sendable, Equatable {
        /// The absolute path of a directory.
        case directory([UInt8])
        /// The id of a session.
        case session([UInt8])
    }

    /// Returns a response that contains only the allowed entries. They keep their order, and numbers keep their digits.
    ///
    /// An entry without an owner is removed. A project is kept if its directory or one of its worktrees is allowed, and
    /// its worktrees are filtered as well.
    ///
    /// - Parameters:
    ///   - body: The complete body of a successful response, without compression.
    ///   - isAllowed: Returns whether the entry of this owner may be in the response.
    /// - Returns: The body; nil if it is not such a list. The client then gets 403 instead of the response.
    package func filtered(_ body: [UInt8], isAllowed: (Owner) -> Bool) -> [UInt8]? {
        guard String(validating: body, as: UTF8.self) != nil, let json = JSONParser.parse(body), !json.repeatsName
        else {
            return nil
        }
        if self == .activeSessions {
            guard var response = json.object, var sessions = response["data"]?.object else { return nil }
            sessions.members.removeAll { !isAllowed(.session(Array($0.name.utf8))) }
            response["data"] = .object(sessions)
            return JSON.object(response).bytes
        }
        guard let entries = json.array else { return nil }
        let kept = entries.compactMap { entry -> JSON? in
            if self == .projects { return Self.project(entry, isAllowed) }
            // `/experimental/worktree` lists texts.
            guard let directory = (entry.object.map { $0["directory"] } ?? entry)?.text else { return nil }
            return isAllowed(.directory(Array(directory.utf8))) ? entry : nil
        }
        return JSON.array(kept).bytes
    }

    private static func project(_ entry: JSON, _ isAllowed: (Owner) -> Bool) -> JSON? {
        guard var project = entry.object else { return nil }
        let folders = ["worktree", "canonical"].compactMap { project[$0]?.text }
        let isOwn = !folders.isEmpty && folders.allSatisfy { isAllowed(.directory(Array($0.utf8))) }
        let sandboxes = (project["sandboxes"]?.array ?? []).filter { sandbox in
            sandbox.text.map { isAllowed(.directory(Array($0.utf8))) } ?? false
        }
        guard isOwn || !sandboxes.isEmpty else { return nil }
        if project["sandboxes"] != nil { project["sandboxes"] = .array(sandboxes) }
        return .object(project)
    }
}
