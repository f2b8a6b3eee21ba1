// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPServer

/// Tests the order of closing connections without a key to make room.
@Suite struct KeylessConnectionsTests {
    private let members = (0..<4).map { _ in ListedConnection() }

    private static func drain(_ list: KeylessConnections) -> [ObjectIdentifier] {
        var list = list
        var order: [ObjectIdentifier] = []
        while let oldest = list.popFirst() { order.append(ObjectIdentifier(oldest)) }
        return order
    }

    private func identifiers(_ indices: Int...) -> [ObjectIdentifier] { indices.map { ObjectIdentifier(members[$0]) } }

    @Test func `connections are ordered from the oldest to the newest`() {
        var list = KeylessConnections()

        #expect(list.isEmpty)

        for member in members { list.append(member) }

        #expect(!list.isEmpty)
        #expect(Self.drain(list) == identifiers(0, 1, 2, 3))
    }

    @Test(arguments: [
        ([0], [1, 2, 3]), ([3], [0, 1, 2]), ([1, 2], [0, 3]), ([2, 0, 0], [1, 3]), ([0, 1, 2, 3], []),
    ])
    func `a connection that has ended is not closed to make room`(removed: [Int], left: [Int]) {
        var list = KeylessConnections()
        for member in members { list.append(member) }

        for index in removed { list.remove(members[index]) }

        #expect(list.isEmpty == left.isEmpty)
        #expect(Self.drain(list) == left.map { ObjectIdentifier(members[$0]) })
    }

    @Test(arguments: 0..<3) func `a connection whose socket was handed over still counts`(index: Int) {
        var list = KeylessConnections()
        for member in members[..<3] { list.append(member) }

        list.replace(members[index], with: members[3])
        list.replace(members[index], with: members[index])

        var order = [0, 1, 2]
        order[index] = 3

        #expect(Self.drain(list) == order.map { ObjectIdentifier(members[$0]) })
    }
}
