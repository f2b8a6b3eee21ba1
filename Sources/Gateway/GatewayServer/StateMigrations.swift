// SPDX-License-Identifier: Apache-2.0

import Conversations
import Instances
import Keys
package import Storage

extension Migration {
    /// All migration steps of `state.db`, in order. Each step is defined in the module that owns the step's table.
    package static let all: [Migration] = [instanceHistory, conversations, keys, sessions]
}
