// SPDX-License-Identifier: Apache-2.0

import Access
import Keys
import Locking

/// The last uses of keys that are not written yet. The number of keys bounds their number.
final class KeyUses: Sendable {
    private let uses = Locked<[KeyID: Key.Use]>([:])

    /// Adds a use. Returns whether it is the first one that waits.
    func add(_ use: Key.Use, of id: KeyID) -> Bool {
        uses.withLock { uses in
            defer { uses[id] = use }
            return uses.isEmpty
        }
    }

    /// Removes and returns all uses.
    func removeAll() -> [KeyID: Key.Use] {
        uses.withLock { uses in
            defer { uses.removeAll() }
            return uses
        }
    }
}
