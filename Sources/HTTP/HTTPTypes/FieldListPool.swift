// SPDX-License-Identifier: Apache-2.0

/// A pool of field lists, so that a small message allocates no memory for its fields.
///
/// A pooled list keeps its content until it is refilled, because emptying a list that is still referenced elsewhere
/// would copy it.
package struct FieldListPool {
    private static let most = 64
    /// The maximum size in bytes of a list that the pool keeps.
    private static let largest = 8 * 1024

    private var lists: [FieldList] = []

    /// Creates a pool without any lists.
    package init() {}

    /// Returns a list with arbitrary content. Call ``FieldList/makeRoom(fields:bytes:)`` before using it.
    package mutating func acquire() -> FieldList { lists.popLast() ?? FieldList() }

    /// Returns a list's memory to the pool.
    package mutating func release(_ fields: consuming FieldList) {
        if lists.count < Self.most, 1...Self.largest ~= fields.byteCapacity { lists.append(fields) }
    }
}
