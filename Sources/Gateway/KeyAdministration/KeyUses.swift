// SPDX-License-Identifier: Apache-2.0

import Access
import Keys
import Locking

/// The uses of keys that are not written yet. The number of keys bounds their number.
final class KeyUses: Sendable {
    /// The first and the last use of a key that wait. They may be the same.
    struct Range {
        let first: Key.Use
        var last: Key.Use
    }

    private let uses = Locked<[KeyID: Range]>([:])

    /// Adds a use. Returns whether it is the first one that waits.
    func add(_ use: Key.Use, of id: KeyID) -> Bool {
        uses.withLock { uses in
            defer { uses[id, default: Range(first: use, last: use)].last = use }
            return uses.isEmpty
        }
    }

    /// Removes and returns all uses.
    func removeAll() -> [KeyID: Range] {
        uses.withLock { uses in
            defer { uses.removeAll() }
            return uses
        }
    }
}
