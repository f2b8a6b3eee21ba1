// SPDX-License-Identifier: Apache-2.0

import EventHub

extension LogLimits {
    /// Creates limits. A limit that a test does not name is larger than the test needs.
    init(bytes: Int = 64 << 20) { self.init(bytes: bytes, time: .seconds(7 * 86_400)) }

    /// Creates limits with more bytes than any test needs.
    init(time: Duration) { self.init(bytes: 64 << 20, time: time) }
}
