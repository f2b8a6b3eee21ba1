// SPDX-License-Identifier: Apache-2.0

/// OpenCode's routes as a tree of path segments. A search in the tree allocates no memory.
struct RouteTree: Sendable {
    /// A literal segment of a route's path.
    private struct Literal {
        /// The position of the segment's bytes in ``texts``.
        let start: Int
        let count: Int
        let node: Int
    }

    /// A position in the paths of routes. All routes of a node begin with the same segments.
    private struct Node {
        /// The literal segments that may follow this position, as a range of ``literals``.
        let literals: Range<Int>
        /// The index of the node after a variable segment; -1 if no variable segment may follow.
        let variable: Int
    }

    /// The properties of a route that a search needs.
    fileprivate struct Entry {
        let scope: Scope
        let isOfOne: Bool
        let isOfTwo: Bool
        let isExamined: Bool
        let isPairing: Bool
    }

    private let routes: [ScopeRoute]
    private let entries: [Entry]
    private var nodes: [Node] = []
    private var literals: [Literal] = []
    /// The length and the first byte of each literal. A search compares these values first, because most literals
    /// differ in them.
    private var keys: [Int] = []
    private var texts: [UInt8] = []
    /// For each node and each method, the number of the route that ends at the node; -1 if no route ends there.
    private var ends: [Int] = []
    /// For each node and each method, the number of the route that accepts any further segments; -1 if there is none.
    private var wildcards: [Int] = []

    /// Creates the tree of these routes.
    init(_ routes: [ScopeRoute]) {
        self.routes = routes
        entries = routes.map { route in
            Entry(
                scope: route.scope, isOfOne: route.families.contains(.one), isOfTwo: route.families.contains(.two),
                isExamined: route.content != .unexamined, isPairing: route.content == .pairing)
        }
        let segments = routes.map { $0.template.split(separator: "/") }
        add(Array(routes.indices), segments, depth: 0)
    }

    /// Adds the node that these routes have at this depth, and all nodes below the node.
    private mutating func add(_ numbers: [Int], _ segments: [[Substring]], depth: Int) {
        let node = nodes.count
        nodes.append(Node(literals: 0..<0, variable: -1))
        let complete = numbers.filter { segments[$0].count == depth }
        ends += Method.allCases.map { route(with: $0, among: complete) }
        let deeper = numbers.filter { segments[$0].count > depth }
        let wild = deeper.filter { segments[$0][depth] == "*" }
        wildcards += Method.allCases.map { route(with: $0, among: wild) }
        let variable = deeper.filter { segments[$0][depth].first == "{" }
        let names = Set(deeper.map { segments[$0][depth] }.filter { $0 != "*" && $0.first != "{" }).sorted()
        let first = literals.count
        for name in names {
            literals.append(Literal(start: texts.count, count: name.utf8.count, node: 0))
            keys.append(Self.key(count: name.utf8.count, first: name.utf8.first ?? 0))
            texts += Array(name.utf8)
        }
        for (offset, name) in names.enumerated() {
            let known = literals[first + offset]
            literals[first + offset] = Literal(start: known.start, count: known.count, node: nodes.count)
            add(deeper.filter { segments[$0][depth] == name }, segments, depth: depth + 1)
        }
        nodes[node] = Node(
            literals: first..<first + names.count, variable: variable.isEmpty ? -1 : nodes.count)
        if !variable.isEmpty { add(variable, segments, depth: depth + 1) }
    }

    /// Returns the number of the route with this method; -1 if no route has the method.
    private func route(with method: Method, among numbers: [Int]) -> Int {
        let found = numbers.filter { routes[$0].method == method }
        assert(found.count < 2, "\(method.rawValue) \(routes[found[0]].template) is in the table twice")
        return found.first ?? -1
    }

    private typealias Method = ScopeRoute.Method

    // MARK: Search

    /// The routes that a request may match.
    struct Findings {
        /// The strictest scope of the found routes; nil if no search has ended yet.
        private(set) var scope: Scope?
        /// The number of the only found route; -1 if no route or more than one route was found.
        private(set) var route = -1
        private(set) var isPairing = false
        /// Whether different routes were found.
        private var isAmbiguous = false
        /// Whether a route was found for which the gateway examines content in addition to the path.
        private var isExamined = false

        /// Whether different routes were found, although the gateway must know the route in order to examine the
        /// content.
        var needsOneRoute: Bool { isAmbiguous && isExamined }

        /// Adds a route.
        fileprivate mutating func add(_ number: Int, _ entry: Entry) {
            if let scope {
                if route != number {
                    route = -1
                    isAmbiguous = true
                }
                self.scope = max(scope, entry.scope)
            } else {
                route = number
                scope = entry.scope
            }
            if entry.isPairing { isPairing = true }
            if entry.isExamined { isExamined = true }
        }

        /// Adds a path that matches no known route.
        mutating func addUnknown() {
            if scope != nil {
                route = -1
                isAmbiguous = true
            }
            scope = max(scope ?? .run, .run)
        }
    }

    /// The route with a number that a search has returned.
    subscript(number: Int) -> ScopeRoute { routes[number] }

    /// Searches for the routes of a path. The path must begin with a slash and contain no empty segments. A final slash
    /// is ignored.
    ///
    /// A literal segment takes precedence over a variable segment, as in OpenCode's routers. If a path differs from a
    /// route only in the case of letters, some routers find this route. Other routers find a route with a variable
    /// segment, or no route. The search therefore adds all these routes.
    func search(
        _ path: borrowing Span<UInt8>, method: ScopeRoute.Method, family: APIFamily?, into findings: inout Findings
    ) {
        let query = Query(method: method.index, isOfOne: family != .two, isOfTwo: family != .one)
        if !search(path, from: 0, node: 0, for: query, into: &findings) { findings.addUnknown() }
    }

    private struct Query {
        let method: Int
        let isOfOne: Bool
        let isOfTwo: Bool
    }

    /// Searches below a node. Returns whether the search has found a route whose literal segments match exactly,
    /// including the case of letters.
    private func search(
        _ path: borrowing Span<UInt8>, from start: Int, node: Int, for query: Query, into findings: inout Findings
    ) -> Bool {
        let begin = start + 1
        let route = node * Method.count + query.method
        guard begin < path.count else {
            if add(ends[route], for: query, to: &findings) { return true }
            // The path `/assets/` matches the route `/assets/*`. The path `/assets` does not match this route.
            return begin == path.count && add(wildcards[route], for: query, to: &findings)
        }
        var end = begin
        while end < path.count, path[unchecked: end] != UInt8(ascii: "/") { end += 1 }
        var isFound = false
        let key = Self.key(count: end - begin, first: path[unchecked: begin])
        let candidates = nodes[node].literals
        let keys = keys.span
        for number in candidates where keys[unchecked: number] == key {
            let literal = literals[number]
            switch comparison(path, from: begin, with: literal) {
            case .different: break
            case .equal:
                if search(path, from: end, node: literal.node, for: query, into: &findings) { isFound = true }
            case .equalExceptCase: _ = search(path, from: end, node: literal.node, for: query, into: &findings)
            }
        }
        if isFound { return true }
        let variable = nodes[node].variable
        if variable >= 0, search(path, from: end, node: variable, for: query, into: &findings) { return true }
        return add(wildcards[route], for: query, to: &findings)
    }

    private func add(_ number: Int, for query: Query, to findings: inout Findings) -> Bool {
        guard number >= 0 else { return false }
        let entry = entries[number]
        guard entry.isOfOne && query.isOfOne || entry.isOfTwo && query.isOfTwo else { return false }
        findings.add(number, entry)
        return true
    }

    /// Returns a number for a segment's length and first letter. The number does not depend on the letter's case.
    private static func key(count: Int, first: UInt8) -> Int { count << 8 | Int(first | 0x20) }

    private enum Comparison { case equal, equalExceptCase, different }

    /// Compares a segment with a literal of the same length. The literal must contain no upper-case letters.
    private func comparison(
        _ path: borrowing Span<UInt8>, from begin: Int, with literal: Literal
    ) -> Comparison {
        var comparison = Comparison.equal
        for offset in 0..<literal.count {
            let byte = path[unchecked: begin + offset]
            let wanted = texts[literal.start + offset]
            guard byte != wanted else { continue }
            guard byte &- 0x41 < 26, byte | 0x20 == wanted else { return .different }
            comparison = .equalExceptCase
        }
        return comparison
    }
}

extension ScopeRoute.Method {
    /// The number of methods.
    fileprivate static var count: Int { delete.index + 1 }

    /// The position of the method in `allCases`.
    fileprivate var index: Int {
        switch self {
        case .get: 0
        case .post: 1
        case .put: 2
        case .patch: 3
        case .delete: 4
        }
    }
}
