// SPDX-License-Identifier: Apache-2.0

/// The paths that an endpoint serves, written as a template (OpenAPI 3.1 §4.8.8) such as `/projects/{name}/status`.
///
/// A part in braces matches one whole segment, which may be empty. The segment is captured as it appears in the path,
/// without decoding. A final part `{path}` matches the remainder of the path, including slashes. The remainder may be
/// absent together with the slash before it.
package struct PathPattern: Sendable {
    /// The bytes that represent variable parts in ``steps``. Neither byte can occur in a template.
    private static let segment: UInt8 = 0
    private static let remainder: UInt8 = 1
    private static let slash = UInt8(ascii: "/")

    /// The positions of a path's variable parts.
    struct Captures: Equatable {
        /// The range of the first variable segment; empty if there is none.
        var segment = 0..<0
        /// The start of the remainder; the end of the path if there is none.
        var remainder = 0
    }

    /// The template as written in the source.
    package let template: String
    /// The names of the variable segments in order. A final `{path}` is not included.
    package let names: [String]
    /// Whether the template ends with `{path}`.
    package let hasRemainder: Bool
    /// The bytes of the template, with one marker byte for each variable part.
    private let steps: [UInt8]

    /// Creates a pattern from a template.
    init(_ template: String) {
        self.template = template
        var names: [String] = []
        var steps: [UInt8] = []
        for part in template.split(separator: "/") {
            guard part.first == "{", part.last == "}" else {
                steps += [Self.slash] + Array(part.utf8)
                continue
            }
            let name = part.dropFirst().dropLast()
            if name == "path" {
                steps.append(Self.remainder)
            } else {
                names.append(String(name))
                steps += [Self.slash, Self.segment]
            }
        }
        self.names = names
        self.steps = steps
        hasRemainder = steps.last == Self.remainder
    }

    /// Whether the first variable segment is a project's name.
    var namesProject: Bool { names.first == "name" }

    /// Returns the positions of the path's variable parts; nil if the path does not match. Allocates nothing.
    func match(_ path: Span<UInt8>) -> Captures? {
        var captures = Captures()
        var isFirst = true
        var index = 0
        for step in steps {
            switch step {
            case Self.segment:
                let start = index
                while index < path.count, path[index] != Self.slash { index += 1 }
                if isFirst { captures.segment = start..<index }
                isFirst = false
            case Self.remainder:
                guard index == path.count || path[index] == Self.slash else { return nil }
                captures.remainder = index
                return captures
            default:
                guard index < path.count, path[index] == step else { return nil }
                index += 1
            }
        }
        captures.remainder = index
        return index == path.count ? captures : nil
    }

    /// Returns the variable segments of a matching path by name, without decoding.
    func parameters(of path: ArraySlice<UInt8>) -> [String: ArraySlice<UInt8>] {
        var segments = path.split(separator: Self.slash, omittingEmptySubsequences: false).dropFirst()
        var parameters: [String: ArraySlice<UInt8>] = [:]
        var remaining = names[...]
        for part in template.split(separator: "/") where !remaining.isEmpty {
            guard let segment = segments.popFirst() else { break }
            if part.first == "{", let name = remaining.popFirst() { parameters[name] = segment }
        }
        return parameters
    }
}

/// Patterns that match the same paths are equal. The names of their variable parts are ignored, because a
/// client cannot distinguish them.
extension PathPattern: Equatable {
    /// Returns whether two patterns match the same paths.
    package static func == (left: PathPattern, right: PathPattern) -> Bool { left.steps == right.steps }
}
