import EventHub
import OpenCode

/// What streams on one loop want to be told, and who wants the same: frames are made once for all of these.
struct SharedStreamFrames {
    /// What makes the frames of one stream the same as those of another.
    struct Wish: Hashable {
        let shape: EventShape
        let directory: [UInt8]?
        let alias: [UInt8]?
        let types: [EventSelector.TypePattern]
        let isChunked: Bool

        /// The wish that a cursor reads for; nil where its frames are its own: of sessions it learns of, or made by a form.
        init?(_ cursor: EventCursor) {
            guard cursor.selector.isConstant, !cursor.isFormed else { return nil }
            shape = cursor.shape
            directory = cursor.selector.directory
            alias = cursor.selector.alias
            types = cursor.selector.types
            isChunked = cursor.isChunked
        }
    }

    /// The streams with one wish, told from others without looking at the wish.
    final class Group {
        let wish: Wish
        /// Where its frames stand among those that are made at this moment, if there are any.
        var index = 0
        fileprivate var members = 0

        fileprivate init(_ wish: Wish) { self.wish = wish }
    }

    private var groups: [Wish: Group] = [:]

    /// A stream with this wish begins.
    mutating func join(_ wish: Wish) -> Group {
        let group = groups[wish] ?? Group(wish)
        groups[wish] = group
        group.members += 1
        return group
    }

    /// One of the group's streams ends.
    mutating func leave(_ group: Group) {
        group.members -= 1
        if group.members == 0 { groups[group.wish] = nil }
    }
}
