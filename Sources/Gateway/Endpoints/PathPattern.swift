/// The paths that an endpoint serves, written as a template (OpenAPI 3.1 §4.8.8): `/projects/{name}/status`.
///
/// A part in braces is one whole segment, which may be empty, as it stands in the path: nothing is decoded. A last part
/// `{path}` is everything that follows, slashes included, and may be absent with its slash.
struct PathPattern: Sendable {
    /// Where a part that varies begins, in ``steps``: neither byte can be meant by a template.
    private static let segment: UInt8 = 0
    private static let remainder: UInt8 = 1
    private static let slash = UInt8(ascii: "/")

    /// Where a path's parts that vary stand in it.
    struct Captures: Equatable {
        /// The first segment that varies; empty where there is none.
        var segment = 0..<0
        /// Where the remainder begins; the path's end where there is none.
        var remainder = 0
    }

    /// The template as it was written.
    let template: String
    /// The names of the parts that vary, in their order, ``remainder`` aside.
    let names: [String]
    /// Whether it ends with everything that follows.
    let hasRemainder: Bool
    /// The template's bytes with one byte for each part that varies.
    private let steps: [UInt8]

    /// A pattern of this template.
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

    /// Whether one of its parts is a project's name.
    var namesProject: Bool { names.first == "name" }

    /// Where the path's parts that vary stand; nil for a path that is another's. Allocates nothing.
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

    /// The segments of a path that matches, by their names, as they stand there.
    func parameters(of path: ArraySlice<UInt8>) -> [String: ArraySlice<UInt8>] {
        var segments = path.split(separator: Self.slash, omittingEmptySubsequences: false).dropFirst()
        var parameters: [String: ArraySlice<UInt8>] = [:]
        var rest = names[...]
        for part in template.split(separator: "/") where !rest.isEmpty {
            guard let segment = segments.popFirst() else { break }
            if part.first == "{", let name = rest.popFirst() { parameters[name] = segment }
        }
        return parameters
    }
}

/// Patterns of the same paths are equal, whatever the names of their parts: who asks can't tell them apart.
extension PathPattern: Equatable {
    static func == (left: PathPattern, right: PathPattern) -> Bool { left.steps == right.steps }
}
