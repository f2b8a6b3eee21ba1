// SPDX-License-Identifier: Apache-2.0

import EventHub

extension LogLimits {
    /// Creates limits with a retention time that exceeds any run.
    init(bytes: Int = 64 << 20) { self.init(bytes: bytes, time: .seconds(7 * 86_400)) }
}
