// SPDX-License-Identifier: Apache-2.0

/// The requested places in a JSON text, as a tree of keys. Readers skip everything that is not on the path to a
/// requested place.
package struct JSONPaths: Sendable {
    /// A key on the path to a requested place.
    struct Member: Sendable {
        let key: [UInt8]
        /// The number of the place that is the key's value; nil if the key only leads to other places.
        var pathIndex: Int?
        /// The node of the object or list that is the key's value.
        var node: Int?
    }

    /// An object or list on the path to a requested place.
    struct Node: Sendable {
        var members: [Member] = []
        /// The node of the list's elements.
        var element: Int?
    }

    /// A key on a path, with the range of its bytes in ``keys``, its place and its node. A missing place or node is -1.
    struct Entry: Sendable {
        let start: Int
        let count: Int
        let pathIndex: Int
        let node: Int
    }

    /// The nodes of the tree, the root first.
    private(set) var nodes = [Node()]
    /// The bytes of all keys, concatenated. `entries` contains one entry for each key, and `members` contains the range
    /// of each node's entries.
    private(set) var keys: [UInt8] = []
    private(set) var entries: [Entry] = []
    private(set) var members: [Range<Int>] = []

    /// Creates the places with these paths, numbered from 0.
    ///
    /// A path consists of keys separated by dots. A key whose value is a list is followed by `[]`. A path that begins
    /// with `[]` starts at a list that is the whole text.
    package init(_ paths: String...) { self.init(paths) }

    /// Creates the places with the paths in this array.
    package init(_ paths: [String]) {
        for (number, path) in paths.enumerated() {
            let steps = path.split(separator: ".")
            var node = 0
            for step in steps.dropLast() { node = enter(step, from: node) }
            guard let last = steps.last else { continue }
            let member = member(Array(last.utf8), of: node)
            nodes[node].members[member].pathIndex = number
        }
        for node in nodes {
            members.append(entries.count..<entries.count + node.members.count)
            for member in node.members {
                entries.append(
                    Entry(
                        start: keys.count, count: member.key.count, pathIndex: member.pathIndex ?? -1,
                        node: member.node ?? -1))
                keys += member.key
            }
        }
    }

    /// Returns the node after one step, such as `data`, `data[]` or `[]`.
    private mutating func enter(_ step: Substring, from start: Int) -> Int {
        let isList = step.hasSuffix("[]")
        let key = Array((isList ? step.dropLast(2) : step).utf8)
        var node = start
        if !key.isEmpty {
            let member = member(key, of: node)
            let child = nodes[node].members[member].node ?? addNode()
            nodes[node].members[member].node = child
            node = child
        }
        guard isList else { return node }
        let element = nodes[node].element ?? addNode()
        nodes[node].element = element
        return element
    }

    private mutating func member(_ key: [UInt8], of node: Int) -> Int {
        if let known = nodes[node].members.firstIndex(where: { $0.key == key }) { return known }
        nodes[node].members.append(Member(key: key))
        return nodes[node].members.count - 1
    }

    private mutating func addNode() -> Int {
        nodes.append(Node())
        return nodes.count - 1
    }
}
