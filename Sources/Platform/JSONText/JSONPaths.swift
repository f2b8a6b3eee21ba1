// SPDX-License-Identifier: Apache-2.0

/// The requested paths in a JSON text, as a tree of keys. Readers skip everything that is not on one of these paths.
package struct JSONPaths: Sendable {
    /// A key on a requested path.
    struct Member: Sendable {
        let key: [UInt8]
        /// The index of the path that ends at the key; nil if the key is only on the way to other keys.
        var pathIndex: Int?
        /// The index of the node for the object or list that is the key's value.
        var node: Int?
    }

    /// An object or list on a requested path.
    struct Node: Sendable {
        var members: [Member] = []
        /// The index of the node for the list's elements.
        var element: Int?
    }

    /// A key on a requested path, with the range of its bytes in ``keys``. A missing path index or node is -1.
    struct Entry: Sendable {
        let start: Int
        let count: Int
        let pathIndex: Int
        let node: Int
    }

    /// The nodes of the tree, the root first.
    private(set) var nodes = [Node()]
    /// The bytes of all keys, concatenated. `entries` contains one entry for each key. `members` contains the range of
    /// each node's entries.
    private(set) var keys: [UInt8] = []
    private(set) var entries: [Entry] = []
    private(set) var members: [Range<Int>] = []

    /// Creates the tree of these paths, which are numbered from 0.
    ///
    /// A path consists of keys separated by dots. A key whose value is a list is followed by `[]`. If the whole text is
    /// a list, the path begins with `[]`.
    package init(_ paths: String...) { self.init(paths) }

    /// Creates the tree of the paths in this array.
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
