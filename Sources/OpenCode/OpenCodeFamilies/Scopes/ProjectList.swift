// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// One of OpenCode's lists that may contain entries of other projects. All servers of a user share one database.
package enum ProjectList: Sendable, CaseIterable {
    /// The projects that OpenCode has ever opened: `/project` and `/api/project`. The project's directory is the member
    /// `worktree` in `/project` and the member `canonical` in `/api/project`. The member `sandboxes` lists the
    /// project's worktrees.
    case projects
    /// The sessions of all projects: `/experimental/session`. The member `directory` is the directory of the session.
    case sessions
    /// The running sessions, as an object whose members have the sessions' ids as names: `/api/session/active`.
    case activeSessions
    /// Directories, or objects with the member `directory`: `/project/{projectID}/directories`, `/api/worktree`,
    /// `/experimental/worktree` and `/experimental/workspace`.
    case directories

    /// The value in a list's entry that determines the project of the entry.
    package enum Owner: Sendable, Equatable {
        /// The absolute path of a directory.
        case directory([UInt8])
        /// The id of a session.
        case session([UInt8])
    }

    /// Returns a response that contains only the allowed entries. The entries keep their order, and numbers keep their
    /// digits.
    ///
    /// The method removes an entry without an owner. The method keeps a project if the project's directory or one of
    /// the project's worktrees is allowed. Worktrees that are not allowed are removed from the project.
    ///
    /// - Parameters:
    ///   - body: The complete body of a successful response, without compression.
    ///   - isAllowed: Returns whether the response may contain the entry of this owner.
    /// - Returns: The filtered body; nil if `body` is not such a list. The client then receives status 403 instead of
    ///   the response.
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
            // The entries of `/experimental/worktree` are strings.
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
