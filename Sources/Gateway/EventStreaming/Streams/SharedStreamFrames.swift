// SPDX-License-Identifier: Apache-2.0

import EventHub
import GatewayCore
import OpenCodeFamilies

/// The groups of streams on one loop that send the same frames. The loop creates the frames once for each group.
struct SharedStreamFrames {
    /// The properties that determine the frames of a stream.
    struct Key: Hashable {
        let shape: EventShape
        let directory: [UInt8]?
        let alias: [UInt8]?
        let types: [EventSelector.TypePattern]
        let isChunked: Bool

        /// Creates the key for a cursor's frames. Returns nil if the frames depend on the cursor's encoding or on the
        /// sessions that the cursor finds. No other stream can then have the same frames.
        init?(_ cursor: EventCursor) {
            guard cursor.selector.isConstant, !cursor.isEncoded else { return nil }
            shape = cursor.shape
            directory = cursor.selector.directory
            alias = cursor.selector.alias
            types = cursor.selector.types
            isChunked = cursor.isChunked
        }
    }

    /// The streams with the same properties. Groups are compared by identity, without comparing the properties.
    final class Group {
        let key: Key
        /// The index of the group's frames among the frames that are being created.
        var index = 0
        fileprivate var members = 0

        fileprivate init(_ key: Key) { self.key = key }
    }

    private var groups: [Key: Group] = [:]

    /// Adds a stream with these properties, and returns its group.
    mutating func join(_ key: Key) -> Group {
        let group = groups[key] ?? Group(key)
        groups[key] = group
        group.members += 1
        return group
    }

    /// Removes a stream that has ended from its group.
    mutating func leave(_ group: Group) {
        group.members -= 1
        if group.members == 0 { groups[group.key] = nil }
    }
}
