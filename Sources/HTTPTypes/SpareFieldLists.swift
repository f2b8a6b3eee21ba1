/// Memory of field lists that is used again, so that a small message allocates none for its fields.
///
/// What was in a list stays there until it is filled again: to empty one that somebody else still holds would copy it.
package struct SpareFieldLists {
    private static let most = 64
    /// A larger list's memory is given up, in bytes.
    private static let largest = 8 * 1024

    private var spare: [FieldList] = []

    /// No memory yet.
    package init() {}

    /// A list whose content means nothing: ``FieldList/makeRoom(fields:bytes:)`` comes first.
    package mutating func take() -> FieldList { spare.popLast() ?? FieldList() }

    /// Takes memory back.
    package mutating func giveBack(_ fields: consuming FieldList) {
        if spare.count < Self.most, 1...Self.largest ~= fields.byteCapacity { spare.append(fields) }
    }
}
