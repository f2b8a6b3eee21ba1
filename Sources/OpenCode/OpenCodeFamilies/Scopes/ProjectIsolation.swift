// SPDX-License-Identifier: Apache-2.0

/// The objects that a request names and that must belong to the project of its path. The gateway checks the requests of
/// keys that are limited to projects, because all servers of a user share one database.
///
/// The directories in the query parameters `directory` and `location`, and in the field `x-opencode-directory`, are
/// checked by ``DirectoryPin``.
package struct ProjectIsolation: Sendable, Equatable {
    /// The reason why a request cannot be permitted.
    package enum Violation: Error, Sendable, Equatable {
        /// Routers may interpret the path in too many ways.
        case ambiguousPath
        /// The request names a directory outside the project.
        case directory
        /// The request names a workspace. The gateway does not know to which project a workspace belongs.
        case workspace
        /// The response would contain data of all projects, because the request names no OpenCode project.
        case allProjects
        /// The request names more sessions than the gateway looks up.
        case tooManySessions
    }

    /// The maximum number of sessions that a request may name. The gateway asks the instance for each of them.
    package static let mostSessions = 100

    /// The ids of the named sessions.
    package private(set) var sessions: Set<[UInt8]> = []
    /// The ids of the named OpenCode projects.
    package private(set) var projects: Set<[UInt8]> = []

    /// The routes that return data of all projects if the query names none.
    private static let routesOfAllProjects: Set<String> = [
        "/api/permission/saved", "/api/experimental/session/stats", "/experimental/workspace/status",
    ]

    /// Whether the request names no object that must be looked up.
    package var isEmpty: Bool { sessions.isEmpty && projects.isEmpty }

    /// Finds the objects in a request's path and query.
    ///
    /// - Parameters:
    ///   - target: The target as the instance receives it.
    ///   - route: The route of the request; nil if it is unknown. An unknown route needs the scope ``Scope/run``.
    ///   - scope: The directories of the project.
    package init(
        _ target: ArraySlice<UInt8>, _ route: ScopeRoute?, in scope: DirectoryScope
    ) throws(Violation) {
        let shape = RouteReadings.path(of: target.span)
        let path = target.prefix(shape.count)
        // OpenCode ends a path at a `;`, and interprets the text after it as a query.
        guard shape.isPlain || !Self.hasParameters(path) else { throw .ambiguousPath }
        if shape.isPlain {
            read(path, route)
        } else {
            guard let readings = RouteReadings(path).all else { throw .ambiguousPath }
            for reading in readings { read(reading[...], route) }
        }
        if let route {
            try read(query: target.dropFirst(shape.count), RequestReferences(route), in: scope)
            guard !projects.isEmpty || !Self.routesOfAllProjects.contains(route.template) else { throw .allProjects }
        }
        guard sessions.count <= Self.mostSessions else { throw .tooManySessions }
    }

    /// Adds the objects in the request's body.
    package mutating func add(
        _ findings: [RequestReferences.Finding], in scope: DirectoryScope
    ) throws(Violation) {
        for finding in findings { try add(finding.kind, Array(finding.text.utf8), isQuery: false, in: scope) }
        guard sessions.count <= Self.mostSessions else { throw .tooManySessions }
    }

    private mutating func add(
        _ kind: RequestReference.Kind, _ value: [UInt8], isQuery: Bool, in scope: DirectoryScope
    ) throws(Violation) {
        guard !value.isEmpty else { return }
        switch kind {
        case .session: sessions.insert(value)
        case .project: projects.insert(value)
        case .workspace: throw .workspace
        case .directory, .path:
            guard DirectoryText(value[...], isQuery: isQuery).isContained(in: scope) else { throw .directory }
        }
    }

    // MARK: The path

    private static let session = Array("session".utf8)
    private static let idPrefix = Array("ses".utf8)

    private mutating func read(_ path: ArraySlice<UInt8>, _ route: ScopeRoute?) {
        let segments = path.split(separator: UInt8(ascii: "/"))
        for (index, segment) in segments.enumerated() where segment.starts(with: Self.idPrefix) {
            // OpenCode's ids of sessions begin with `ses`. Words such as `session` and `sessions` do too, but a
            // word follows no segment `session`.
            let follows = index > 0 && Self.isSession(segments[index - 1])
            if follows || segment.dropFirst(3).first == UInt8(ascii: "_") { sessions.insert(Array(segment)) }
        }
        guard let route else { return }
        let names = route.template.utf8.split(separator: UInt8(ascii: "/"))
        guard names.count == segments.count else { return }
        for (name, segment) in zip(names, segments) where name.elementsEqual("{projectID}".utf8) {
            projects.insert(Array(segment))
        }
    }

    private static func isSession(_ segment: ArraySlice<UInt8>) -> Bool {
        segment.count == session.count && zip(segment, session).allSatisfy { $0 | 0x20 == $1 }
    }

    // MARK: The query

    private mutating func read(
        query: ArraySlice<UInt8>, _ references: RequestReferences, in scope: DirectoryScope
    ) throws(Violation) {
        for parameter in query.split(whereSeparator: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "?") }) {
            let name = parameter.prefix { $0 != UInt8(ascii: "=") }
            let value = Array(parameter[name.endIndex...].dropFirst())
            for words in ParameterName.spellings(of: name).map(Self.words) {
                // `location` alone contains an object with a directory or a workspace.
                guard words != ["location"] || value.isEmpty else { throw .workspace }
                for reference in references.all where reference.isParameter {
                    let place = Self.words(Array(reference.location.lowercased().utf8))
                    if words.starts(with: place) { try add(reference.kind, value, isQuery: true, in: scope) }
                }
            }
        }
    }

    private static func words(_ spelling: [UInt8]) -> [String] {
        ParameterName.words(of: spelling).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns whether a path contains a `;`, `?` or `#` after any number of decodings.
    private static func hasParameters(_ path: ArraySlice<UInt8>) -> Bool {
        ParameterName.spellings(of: path).contains { $0.contains { ";?#".utf8.contains($0) } }
    }
}
