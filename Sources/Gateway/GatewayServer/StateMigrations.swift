// SPDX-License-Identifier: Apache-2.0

import Conversations
import Instances
package import Storage

extension Migration {
    /// All steps of `state.db`, in order. Each step is in the module that owns its table.
    package static let all: [Migration] = [instanceHistory, conversations]
}
