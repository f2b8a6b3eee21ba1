// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Restricts a project's requests to the project's folder. OpenCode itself serves any directory that a request names.
///
/// OpenCode uses the parameter `directory`, otherwise the field `x-opencode-directory`, otherwise its working
/// directory. V2's routes use the parameter `location[directory]` instead of `directory`. All present values must name
/// the folder or a path in it, whichever of them OpenCode would use. A request that cannot be evaluated is rejected.
package enum DirectoryPin {
    /// A way to name a directory outside the project in a request.
    package enum Violation: Sendable, Equatable {
        /// A parameter of the query names such a directory.
        case query
        /// A single field `x-opencode-directory` names such a directory.
        case field
        /// The field `x-opencode-directory` occurs more than once. OpenCode would combine all values into one.
        case repeatedField
    }

    /// Returns the violation in a query, given without its `?`; nil if the query names nothing outside the folder.
    package static func violation(ofQuery query: ArraySlice<UInt8>, in scope: DirectoryScope) -> Violation? {
        query.split(separator: UInt8(ascii: "&")).contains { leadsOut($0, of: scope) } ? .query : nil
    }

    /// Removes the parameters that name a directory outside the folder from a query, given without its `?`.
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

    /// Returns the violation in the values of all `x-opencode-directory` fields; nil if they name nothing outside the
    /// folder.
    package static func violation(ofFields values: [ArraySlice<UInt8>], in scope: DirectoryScope) -> Violation? {
        guard let value = values.first else { return nil }
        guard values.count == 1 else { return .repeatedField }
        return DirectoryText(value, isQuery: false).isContained(in: scope) ? nil : .field
    }

    private enum Role { case none, directory, location }

    /// Returns the role of a parameter. The name is matched tolerantly: in any case, at any depth of encoding, and with
    /// any brackets, such as `directory[]`, `location[directory]` or `location.directory`. A name that merely contains
    /// one of these, such as `subdirectory`, is not used by any version.
    private static func role(of name: ArraySlice<UInt8>) -> Role {
        // Nearly all parameter names are too short to name a directory.
        guard name.count >= location.count else { return .none }
        var role = Role.none
        for spelling in spellings(of: name) {
            let words = spelling.split(whereSeparator: isBetweenWords)
            if words.first?.elementsEqual(directory) == true || words.first?.elementsEqual(field) == true {
                return .directory
            }
            guard words.first?.elementsEqual(location) == true else { continue }
            if words.contains(where: { $0.elementsEqual(directory) }) { return .directory }
            // Continue, because the result of another decoding may still name a directory.
            role = .location
        }
        return role
    }

    /// Returns whether the byte is a separator. This is a bracket or a dot, which leads into a value, or a byte that
    /// some parsers remove at the ends of a name: spaces, a `+` that represents a space, and the `?` that
    /// URLSearchParams removes (URL Standard §6.2).
    private static func isBetweenWords(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || separators.contains(byte)
    }

    private static func namesDirectory(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count >= directory.count else { return false }
        return spellings(of: bytes).contains { $0.contains(directory) }
    }

    /// Returns the bytes in lower case and the result of each further decoding, until decoding changes nothing.
    private static func spellings(of bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        var spellings = [bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }]
        while spellings.count <= 4, let last = spellings.last, last.contains(UInt8(ascii: "%")) {
            let next = PercentEncoding.decode(last).bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            guard next != last else { break }
            spellings.append(next)
        }
        return spellings
    }

    private static let separators = Array("[].+?".utf8)
    private static let directory = Array("directory".utf8)
    private static let location = Array("location".utf8)
    private static let field = Array("x-opencode-directory".utf8)
}
