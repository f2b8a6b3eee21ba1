// SPDX-License-Identifier: Apache-2.0

import Instances

extension InstanceLimits {
    /// Creates the limits that the tests assume.
    init() {
        self.init(
            start: .seconds(300), startAnswer: .seconds(25), stop: .seconds(10), restartDelay: .seconds(1),
            longestRestartDelay: .seconds(60), quickFailures: 5, healthInterval: .seconds(10), unhealthy: .seconds(60),
            restartsUnhealthy: false)
    }
}
