// SPDX-License-Identifier: Apache-2.0

import Settings
internal import Supervisors

extension ProcessSetUp {
    /// Creates the set-up for instances as child processes from the settings.
    init(_ configuration: Configuration) {
        let environment = Environment.variables
        let userHome = Environment.homeFolder
        self.init(
            command: configuration.opencode, environment: environment, userHome: userHome, projects: configuration.home,
            data: configuration.isolatedData, setsPasswords: configuration.instances.setsPasswords,
            records: .processes(environment: environment, userHome: userHome, projects: configuration.home))
    }
}
