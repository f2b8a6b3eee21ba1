// SPDX-License-Identifier: Apache-2.0

import GatewayCore
import HTTPTypes
import OpenCodeFamilies

/// The directory rules for requests to instances. The rules perform no I/O.
enum DirectoryRules {
    /// The decision about a request.
    enum Verdict {
        /// The gateway forwards the request unchanged.
        case passes
        /// The gateway rejects the request with status 403 and this message.
        case refused(String)
        /// The request names a directory that is not known to belong to the project. The directory may be a new
        /// worktree of the project's repository.
        case unknownDirectory
        /// The gateway forwards the request with this target and without the field `x-opencode-directory`. Such a
        /// request is the first request of a program, and names a directory of the machine on which the program runs.
        case withoutDirectory(target: ArraySlice<UInt8>)
        /// The request is for the session list. The response may contain only the project's own sessions.
        case sessionList(SessionListQuery)
        /// The request removes this session.
        case removal([UInt8])
    }

    /// Returns the verdict on a request to a project.
    ///
    /// The check is cheap for a request that has neither a query nor the field `x-opencode-directory`.
    ///
    /// - Parameter isPresent: Whether the caller has just read the scope from disk. An unknown directory then cannot be
    ///   a new worktree.
    static func verdict(
        _ head: RequestHead, _ target: ArraySlice<UInt8>, in scope: DirectoryScope, isPresent: Bool = false,
        of project: String
    ) -> Verdict {
        let method = head.method
        let shape = TargetShape(target)
        if let violation = violation(shape, head.fields, in: scope) {
            if scope.isRepository, !isPresent { return .unknownDirectory }
            if method == .get, InstancePath.isFirstRequest(shape.path) {
                return .withoutDirectory(target: withoutDirectory(shape, in: scope))
            }
            return .refused(sentence(violation, project))
        }
        switch method {
        case .get, .head:
            switch InstancePath.listSpelling(shape.path, isPlain: shape.isPlain) {
            case .no: return .passes
            case .list: return .sessionList(SessionListQuery(shape.query ?? []))
            case .withParameters: return .refused(sentence(.ambiguous, project))
            }
        case .delete:
            return InstancePath.session(shape.path, isPlain: shape.isPlain).map { .removal($0) } ?? .passes
        default: return .passes
        }
    }

    private static func violation(
        _ shape: TargetShape, _ fields: FieldList, in scope: DirectoryScope
    ) -> DirectoryPin.Violation? {
        for query in [shape.query, shape.parameters] {
            if let query, let violation = DirectoryPin.violation(ofQuery: query, in: scope) { return violation }
        }
        guard var next = fields.firstIndex(of: .openCodeDirectory) else { return nil }
        var values = [fields.value(at: next)]
        while let index = fields.firstIndex(of: .openCodeDirectory, from: next + 1) {
            values.append(fields.value(at: index))
            next = index
        }
        return DirectoryPin.violation(ofFields: values, in: scope)
    }

    private static func withoutDirectory(_ shape: TargetShape, in scope: DirectoryScope) -> ArraySlice<UInt8> {
        guard let query = shape.query else { return shape.path }
        let kept = DirectoryPin.query(query, keptIn: scope)
        return kept.isEmpty ? shape.path : shape.path + [UInt8(ascii: "?")] + kept
    }

    /// Returns the target with its query replaced by `query`.
    static func target(_ target: ArraySlice<UInt8>, query: [UInt8]) -> ArraySlice<UInt8> {
        let path = TargetShape(target).path
        return query.isEmpty ? path : path + [UInt8(ascii: "?")] + query
    }

    private static func sentence(_ violation: DirectoryPin.Violation, _ project: String) -> String {
        switch violation {
        case .query:
            """
            The query names a directory outside project \(project). Omit the directory, or name the project's own folder, \
            a folder inside it, or a worktree of a repository that is not another project's.
            """
        case .field:
            """
            The field x-opencode-directory names a directory outside project \(project). Omit the field, or name the \
            project's own folder, a folder inside it, or a worktree of a repository that is not another project's, \
            percent-encoded.
            """
        case .repeatedField:
            "The request has several fields x-opencode-directory. Send one, or omit the field to use project \(project)'s folder."
        }
    }

    /// Returns the error message for a rejected request for a session list.
    static func sentence(_ refusal: SessionListQuery.Rejection, _ project: String) -> String {
        switch refusal {
        case .project:
            """
            The query names an OpenCode project other than that of project \(project). Omit project= to list the \
            sessions of project \(project).
            """
        case .cursor:
            """
            The cursor does not belong to a list of project \(project)'s own sessions. Request the list without a cursor, \
            and then use the cursors in the responses.
            """
        case .ambiguous:
            """
            The query of the session list is ambiguous. Request /api/session?…, with nothing between \
            the path and the question mark, and with only one question mark.
            """
        case .unknownProject:
            """
            OpenCode does not report its id of project \(project), so the gateway cannot check a request that names a \
            project id. Omit project= and cursor=, or try again in a moment.
            """
        }
    }
}
