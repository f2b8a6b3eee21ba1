// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The query of a request for the list of sessions, `GET /api/session`. Without restrictions, OpenCode 1.18 and 2
/// return the sessions of all directories.
///
/// The parameters `directory` and `project` restrict the list, separately or in combination. The content of a `cursor`
/// also restricts the list, and takes precedence over the other parameters. OpenCode compares the decoded names
/// exactly. A parameter with an empty value has no effect.
package struct SessionListQuery: Sendable {
    /// The reason why a list is rejected.
    package enum Rejection: Sendable, Equatable {
        /// The parameter `project=` names another project.
        case project
        /// The cursor does not belong to a list of this project's sessions.
        case cursor
        /// Servers may find another query in the target. Either the path contains a `;`, which begins a query in
        /// OpenCode, or the query begins with another `?`.
        case ambiguous
        /// The OpenCode project of the folder is unknown. Without the OpenCode project, a request that names a project
        /// cannot be evaluated.
        case unknownProject
    }

    /// The decision about the request.
    package enum Decision: Sendable, Equatable {
        /// Forward the request unchanged.
        case unchanged
        /// Forward the request with this query, which has no `?`.
        case query([UInt8])
        /// Reject the request for this reason.
        case refused(Rejection)
    }

    private let raw: [UInt8]
    /// The parameters of the query. A parameter that is named in ``Key`` is omitted if its value is empty.
    private var kept: [ArraySlice<UInt8>] = []
    private var projects: [[UInt8]] = []
    private var cursors: [[UInt8]] = []
    private var namesDirectory = false
    /// Whether ``kept`` lacks parameters because their values are empty.
    private var hasEmpty = false
    /// Whether a parser may find a different name for the first parameter, because the query begins with another `?`.
    private var isAmbiguous = false

    /// Parses a query without its `?`.
    package init(_ query: ArraySlice<UInt8>) {
        raw = Array(query)
        for parameter in raw.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            parse(parameter)
        }
    }

    private mutating func parse(_ parameter: ArraySlice<UInt8>) {
        // Query parsers may remove question marks at the beginning of the query. Ignore such question marks.
        let text = parameter.startIndex == raw.startIndex ? parameter.drop { $0 == UInt8(ascii: "?") } : parameter
        let name = text.prefix { $0 != UInt8(ascii: "=") }
        guard let key = Key(PercentDecoding.decode(Array(name), plusIsSpace: true)) else {
            return kept.append(parameter)
        }
        if text.count < parameter.count { isAmbiguous = true }
        // A value that decoders interpret differently is no valid id, cursor or path.
        let value = PercentDecoding.decode(Array(text[name.endIndex...].dropFirst()), plusIsSpace: true)
        if let value, value.allSatisfy({ $0 == UInt8(ascii: " ") }) {
            hasEmpty = true
            return
        }
        kept.append(parameter)
        switch key {
        case .project: projects.append(value ?? [])
        case .cursor: cursors.append(value ?? [])
        // `DirectoryPin` checks whether the directory is inside the project. Record only that the query names a
        // directory.
        case .directory: namesDirectory = true
        }
    }

    /// Returns whether the decision depends on the folder's OpenCode project.
    package func needsProject(in scope: DirectoryScope) -> Bool {
        if !projects.isEmpty { return true }
        guard !cursors.isEmpty else { return !namesDirectory }
        let positions = cursors.map { Self.position(of: $0, in: scope) }
        return !positions.contains(.outside) && positions.contains { $0 != .inside }
    }

    /// Returns the decision about the request.
    ///
    /// - Parameter openCodeProject: The OpenCode project of the gateway's project; nil if it is unknown.
    package func narrowed(to openCodeProject: OpenCodeProject?, in scope: DirectoryScope) -> Decision {
        if isAmbiguous { return .refused(.ambiguous) }
        if !projects.isEmpty {
            guard let openCodeProject else { return .refused(.unknownProject) }
            guard projects.allSatisfy({ $0 == openCodeProject.id }) else { return .refused(.project) }
        }
        guard cursors.isEmpty else { return judged(openCodeProject, in: scope) }
        if namesDirectory || !projects.isEmpty && openCodeProject?.isShared == false {
            return hasEmpty ? .query(joined(kept)) : .unchanged
        }
        if let openCodeProject, !openCodeProject.isShared { return .query(adding("project", openCodeProject.id)) }
        return .query(adding("directory", openCodeProject?.directory ?? scope.workingDirectory))
    }

    private func judged(_ openCodeProject: OpenCodeProject?, in scope: DirectoryScope) -> Decision {
        for cursor in cursors {
            switch Self.position(of: cursor, in: scope) {
            case .inside: break
            case .outside: return .refused(.cursor)
            case .project(let project):
                guard let openCodeProject else { return .refused(.unknownProject) }
                guard project == openCodeProject.id, !openCodeProject.isShared else { return .refused(.cursor) }
            }
        }
        return hasEmpty ? .query(joined(kept)) : .unchanged
    }

    // MARK: Cursors

    private enum CursorPosition: Equatable {
        case inside, outside
        case project([UInt8])
    }

    /// Returns the location of the sessions that a cursor lists: in the scope, outside it, or in an OpenCode project.
    private static func position(of text: [UInt8], in scope: DirectoryScope) -> CursorPosition {
        guard let cursor = SessionCursor(text) else { return .outside }
        if !cursor.directories.isEmpty {
            let areInside = cursor.directories.allSatisfy { $0.first == UInt8(ascii: "/") && scope.contains($0[...]) }
            // If a cursor contains both a directory and a project, the sessions must match both. Therefore, the
            // directory is sufficient.
            if areInside { return .inside }
        }
        guard let first = cursor.projects.first, cursor.projects.allSatisfy({ $0 == first }) else { return .outside }
        return .project(first)
    }

    // MARK: Text

    private enum Key {
        case directory, project, cursor

        init?(_ name: [UInt8]?) {
            guard let name else { return nil }
            if name.elementsEqual("directory".utf8) {
                self = .directory
            } else if name.elementsEqual("project".utf8) {
                self = .project
            } else if name.elementsEqual("cursor".utf8) {
                self = .cursor
            } else {
                return nil
            }
        }
    }

    private func joined(_ parameters: [ArraySlice<UInt8>]) -> [UInt8] {
        Array(parameters.joined(separator: [UInt8(ascii: "&")]))
    }

    private func adding(_ name: String, _ value: [UInt8]) -> [UInt8] {
        let parameter = Array("\(name)=".utf8) + PercentEncoding.encode(value)
        return joined(kept.filter { !$0.isEmpty } + [parameter[...]])
    }
}
