// SPDX-License-Identifier: Apache-2.0

/// The rules that remove secrets from one kind of JSON document.
///
/// A rule applies to the values at a path. A path consists of names that are separated by dots. `*` matches any name
/// for which the rules contain no separate path, and `[]` matches the elements of a list. If a string, list or object
/// occurs where the rules expect another type, its content is unknown, and the value becomes empty. Numbers and
/// Booleans are never secrets.
struct SecretRules: Sendable {
    /// The treatment of a value.
    enum Treatment: Sendable {
        /// An object keeps only the members with these names.
        case only(MemberNames)
        /// An object keeps only those of these members whose values are numbers or Booleans. The treatment is intended
        /// for objects with arbitrary members, such as a provider's options.
        case plain(MemberNames)
        /// A string that is a URL keeps only its scheme, host and port, because the user, path and query may be
        /// secrets. Other strings are unchanged. A value of another type follows the other rules for the same path.
        case origin
        /// The value is replaced by an empty value of the same type, because the document requires the member.
        case cleared
    }

    private struct Node {
        /// The treatment of an object. If the value is nil, the object keeps its members, and only the rules for the
        /// members apply.
        var treatment: Treatment?
        /// Whether the value may be a string. Such a string is reduced to its origin.
        var isOrigin = false
        /// The member names for which the rules contain a separate path. `nodesOfNames` contains the nodes of these
        /// names.
        var names: MemberNames = []
        var nodesOfNames: [Int] = []
        var anyName = -1
        var element = -1

        /// Whether an object has rules.
        var hasObjectRules: Bool { treatment != nil || !nodesOfNames.isEmpty || anyName >= 0 }
        /// Whether no rule applies to the value.
        var isUnrestricted: Bool { !hasObjectRules && !isOrigin && element < 0 }
    }

    private var nodes = [Node()]

    /// Creates rules from paths and treatments. An empty path represents the whole document.
    init(_ rules: [(path: String, treatment: Treatment)]) {
        for rule in rules {
            var node = 0
            for name in rule.path.split(separator: ".") { node = enter(name, from: node) }
            if case .origin = rule.treatment {
                nodes[node].isOrigin = true
            } else {
                nodes[node].treatment = rule.treatment
            }
        }
    }

    private mutating func enter(_ step: Substring, from start: Int) -> Int {
        var node = start
        let name = step.prefix { $0 != "[" }
        if name == "*" {
            if nodes[node].anyName < 0 { nodes[node].anyName = addNode() }
            node = nodes[node].anyName
        } else if !name.isEmpty {
            if let known = nodes[node].names.index(of: Array(name.utf8)[...]) {
                node = nodes[node].nodesOfNames[known]
            } else {
                let added = addNode()
                nodes[node].names.append(name)
                nodes[node].nodesOfNames.append(added)
                node = added
            }
        }
        // Each pair of brackets enters one list.
        for _ in step.filter({ $0 == "[" }) {
            if nodes[node].element < 0 { nodes[node].element = addNode() }
            node = nodes[node].element
        }
        return node
    }

    private mutating func addNode() -> Int {
        nodes.append(Node())
        return nodes.count - 1
    }

    // MARK: Reading

    /// A value's position in the rules.
    struct Position {
        fileprivate let node: Int

        /// The position of a value that has no rules, such as the members of an unrestricted object.
        static let unrestricted = Position(node: -1)
    }

    /// The position of the whole document.
    var root: Position { Position(node: 0) }

    /// Returns whether no rule applies to a value.
    func isUnrestricted(_ position: Position) -> Bool {
        position.node < 0 || nodes[position.node].isUnrestricted
    }

    /// Returns whether a string is reduced to its origin.
    func keepsOrigin(_ position: Position) -> Bool { position.node >= 0 && nodes[position.node].isOrigin }

    /// Returns the position of a list's elements; nil if the list must become empty.
    func elements(of position: Position) -> Position? {
        if isUnrestricted(position) { return .unrestricted }
        let element = nodes[position.node].element
        return element < 0 ? nil : Position(node: element)
    }

    /// Returns whether an object must become empty.
    func clearsObject(_ position: Position) -> Bool {
        guard !isUnrestricted(position) else { return false }
        let node = nodes[position.node]
        if case .cleared = node.treatment { return true }
        return !node.hasObjectRules
    }

    /// Returns the position of an object's member; nil if the member must be removed.
    ///
    /// - Parameter isPlain: Whether the member's value is a number, a Boolean or null.
    func member(_ name: ArraySlice<UInt8>, of position: Position, isPlain: Bool) -> Position? {
        guard !isUnrestricted(position) else { return .unrestricted }
        let node = nodes[position.node]
        switch node.treatment {
        case .only(let names): if !names.contains(name) { return nil }
        case .plain(let names): if !isPlain || !names.contains(name) { return nil }
        case .cleared: return nil
        case .origin, nil: break
        }
        let child = node.names.index(of: name).map { node.nodesOfNames[$0] } ?? node.anyName
        return child < 0 ? .unrestricted : Position(node: child)
    }

    /// Returns the scheme, host and port of a URL. Returns any other text unchanged.
    static func origin(of text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var start = text.startIndex
        while start + 2 < text.endIndex {
            if text[start] == UInt8(ascii: ":"), text[start + 1] == UInt8(ascii: "/"),
                text[start + 2] == UInt8(ascii: "/")
            {
                let authority = text[(start + 3)...].prefix { !authorityEnds.contains($0) }
                // The user information ends at the last `@` of the authority (RFC 3986 §3.2.1).
                guard let user = authority.lastIndex(of: UInt8(ascii: "@")) else { return text[..<authority.endIndex] }
                return text[..<authority.startIndex] + authority[(user + 1)...]
            }
            start += 1
        }
        return text
    }

    /// The bytes after which an authority ends. Browsers treat a backslash as a slash (URL Standard).
    private static let authorityEnds = Array("/?#\\".utf8)
}

/// A list of member names, which are compared as bytes.
struct MemberNames: Sendable, ExpressibleByArrayLiteral {
    private var names: [[UInt8]] = []

    init(arrayLiteral elements: String...) { names = elements.map { Array($0.utf8) } }

    /// Returns the position of a name in the list; nil if the list does not contain the name. The comparison is faster
    /// than hashing, because most names differ in length.
    func index(of name: ArraySlice<UInt8>) -> Int? {
        names.firstIndex { $0.count == name.count && $0.elementsEqual(name) }
    }

    /// Returns whether the list contains a name.
    func contains(_ name: ArraySlice<UInt8>) -> Bool { index(of: name) != nil }

    /// Returns the names of both lists.
    func union(_ others: MemberNames) -> MemberNames {
        var union = self
        union.names += others.names
        return union
    }

    /// Adds a name to the list.
    mutating func append(_ name: Substring) { names.append(Array(name.utf8)) }
}
