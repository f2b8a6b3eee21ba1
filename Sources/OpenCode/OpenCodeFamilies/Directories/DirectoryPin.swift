// SPDX-License-Identifier: Apache-2.0

/// Restricts a project's requests to the project's folder. Without this restriction, OpenCode serves any directory that
/// a request names.
///
/// OpenCode uses the parameter `directory`, the field `x-opencode-directory` or its working directory, in this order of
/// precedence. OpenCode 2's routes use the parameter `location[directory]` instead of `directory`. Every value in a
/// request must name the folder or a path in the folder, even a value that OpenCode would not use. The gateway rejects
/// a request that it cannot evaluate.
package enum DirectoryPin {
    /// The place in a request that names a directory outside the project.
    package enum Violation: Sendable, Equatable {
        /// A parameter of the query names such a directory.
        case query
        /// The request has one field `x-opencode-directory`, which names such a directory.
        case field
        /// The field `x-opencode-directory` occurs more than once. OpenCode would combine all values into one.
        case repeatedField
    }

    /// Returns the violation in a query without its `?`; nil if the query names no directory outside the folder.
    package static func violation(ofQuery query: ArraySlice<UInt8>, in scope: DirectoryScope) -> Violation? {
        query.split(separator: UInt8(ascii: "&")).contains { leadsOut($0, of: scope) } ? .query : nil
    }

    /// Removes the parameters that name a directory outside the folder from a query. The query is given without its
    /// `?`.
    package static func query(_ query: ArraySlice<UInt8>, keptIn scope: DirectoryScope) -> [UInt8] {
        let kept = query.split(separator: UInt8(ascii: "&")).filter { !leadsOut($0, of: scope) }
        return Array(kept.joined(separator: [UInt8(ascii: "&")]))
    }

    /// Returns whether a parameter names a directory outside the folder.
    private static func leadsOut(_ parameter: ArraySlice<UInt8>, of scope: DirectoryScope) -> Bool {
        let name = parameter.prefix { $0 != UInt8(ascii: "=") }
        let value = parameter[name.endIndex...].dropFirst()
        return switch role(of: name) {
        case .none: false
        case .directory: !DirectoryText(value, isQuery: true).isContained(in: scope)
        case .location: namesDirectory(value)
        }
    }

    /// Returns the violation in the values of all `x-opencode-directory` fields; nil if they name no directory outside
    /// the folder.
    package static func violation(ofFields values: [ArraySlice<UInt8>], in scope: DirectoryScope) -> Violation? {
        guard let value = values.first else { return nil }
        guard values.count == 1 else { return .repeatedField }
        return DirectoryText(value, isQuery: false).isContained(in: scope) ? nil : .field
    }

    private enum Role { case none, directory, location }

    /// Returns the role of a parameter. The match ignores the case, repeated encoding, and brackets: `directory[]`,
    /// `location[directory]` and `location.directory` all name a directory. A name that only contains such a word, such
    /// as `subdirectory`, has no role in any version of OpenCode.
    private static func role(of name: ArraySlice<UInt8>) -> Role {
        // Nearly all parameter names are too short to name a directory.
        guard name.count >= location.count else { return .none }
        var role = Role.none
        for spelling in ParameterName.spellings(of: name) {
            let words = ParameterName.words(of: spelling)
            if words.first?.elementsEqual(directory) == true || words.first?.elementsEqual(field) == true {
                return .directory
            }
            guard words.first?.elementsEqual(location) == true else { continue }
            if words.contains(where: { $0.elementsEqual(directory) }) { return .directory }
            // Continue, because the result of further decoding may still name a directory.
            role = .location
        }
        return role
    }

    private static func namesDirectory(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count >= directory.count else { return false }
        return ParameterName.spellings(of: bytes).contains { $0.contains(directory) }
    }

    private static let directory = Array("directory".utf8)
    private static let location = Array("location".utf8)
    private static let field = Array("x-opencode-directory".utf8)
}
