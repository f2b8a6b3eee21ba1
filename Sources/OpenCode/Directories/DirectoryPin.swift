internal import TextCoding

/// Keeps a project's requests to the project's folder: OpenCode serves any directory that a request names.
///
/// OpenCode takes `?directory=`, else the field `x-opencode-directory`, else its working directory; V2's routes take
/// `location[directory]=` instead of the first. All that is there must name the folder or something in it, whichever of
/// them OpenCode would take. What can't be judged is refused.
package enum DirectoryPin {
    /// A way in which a request names a directory outside its project.
    package enum Violation: Sendable, Equatable {
        /// A parameter of the query.
        case query
        /// The field `x-opencode-directory`.
        case field
        /// The field `x-opencode-directory`, several times: OpenCode would read one value out of all.
        case repeatedField
    }

    /// What is wrong with a query, given without its `?`; nil when it names nothing outside the folder.
    package static func violation(ofQuery query: ArraySlice<UInt8>, in scope: DirectoryScope) -> Violation? {
        query.split(separator: UInt8(ascii: "&")).contains { leadsOut($0, of: scope) } ? .query : nil
    }

    /// A query, given without its `?`, without the parameters that name a directory outside the folder.
    package static func query(_ query: ArraySlice<UInt8>, keptIn scope: DirectoryScope) -> [UInt8] {
        let kept = query.split(separator: UInt8(ascii: "&")).filter { !leadsOut($0, of: scope) }
        return Array(kept.joined(separator: [UInt8(ascii: "&")]))
    }

    /// Whether a parameter names a directory outside the folder.
    private static func leadsOut(_ parameter: ArraySlice<UInt8>, of scope: DirectoryScope) -> Bool {
        let name = parameter.prefix { $0 != UInt8(ascii: "=") }
        let value = parameter[name.endIndex...].dropFirst()
        return switch role(of: name) {
        case .none: false
        case .directory: !DirectoryText(value, isQuery: true).isHeld(by: scope)
        case .location: namesDirectory(value)
        }
    }

    /// What is wrong with the values of all `x-opencode-directory` fields; nil when they name nothing outside the folder.
    package static func violation(ofFields values: [ArraySlice<UInt8>], in scope: DirectoryScope) -> Violation? {
        guard let value = values.first else { return nil }
        guard values.count == 1 else { return .repeatedField }
        return DirectoryText(value, isQuery: false).isHeld(by: scope) ? nil : .field
    }

    private enum Role { case none, directory, location }

    /// What a parameter is for. Its name is read generously, in any case, however deeply encoded and with any brackets:
    /// `directory[]`, `location[directory]`, `location.directory`. A name that merely contains one of these, such as
    /// `subdirectory`, is read by no version.
    private static func role(of name: ArraySlice<UInt8>) -> Role {
        // Nearly all parameters are too short.
        guard name.count >= location.count else { return .none }
        var role = Role.none
        for spelling in spellings(of: name) {
            let words = spelling.split(whereSeparator: isBetweenWords)
            if words.first?.elementsEqual(directory) == true || words.first?.elementsEqual(field) == true {
                return .directory
            }
            guard words.first?.elementsEqual(location) == true else { continue }
            if words.contains(where: { $0.elementsEqual(directory) }) { return .directory }
            // A deeper decoding may still name one.
            role = .location
        }
        return role
    }

    /// Brackets and dots, which lead into a value, and what some reader leaves out at a name's ends: spaces, a `+` that stands
    /// for one, and the `?` that URLSearchParams drops (URL Standard §6.2).
    private static func isBetweenWords(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || separators.contains(byte)
    }

    private static func namesDirectory(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count >= directory.count else { return false }
        return spellings(of: bytes).contains { $0.contains(directory) }
    }

    /// The bytes in lower case, and each decoding of them, as far as that changes anything.
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
