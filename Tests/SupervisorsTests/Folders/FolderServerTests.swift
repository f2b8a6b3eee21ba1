// SPDX-License-Identifier: Apache-2.0

import Instances
import Testing

@testable import Supervisors

/// Tests the messages about a server that already works in a folder.
@Suite struct FolderServerTests {
    @Test(
        arguments: [
            (
                "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-opencode.slice/opencode@demo.service",
                "opencode@demo.service", true
            ),
            (
                #"0::/system.slice/system-opencode.slice/opencode@my\x2dapp.service/sub"#,
                #"opencode@my\x2dapp.service"#, false
            ),
            ("12:pids:/a\n1:name=systemd:/system.slice/opencode@demo.service", "opencode@demo.service", false),
            ("0::/user.slice/user-1000.slice/session-1.scope", nil, false),
            ("0::/system.slice/other@demo.service", nil, false), ("", nil, false),
        ] as [(String, String?, Bool)])
    func `the unit of a server is found by its control group`(groups: String, unit: String?, isUsers: Bool) {
        let found = UnitOfProcess(controlGroups: groups)

        #expect(found?.name.string == unit)
        #expect(found?.isUsers ?? false == isUsers)
    }

    @Test func `the error names the server's unit or process and the command that stops it`() {
        let unit = UnitOfProcess(controlGroups: #"0::/user@1.service/opencode@my\x2dapp.service"#)

        #expect(
            FolderServer(process: 7, unit: unit).refusal.description
                == #"the unit opencode@my\x2dapp.service already serves this folder (process 7). Stop the unit first "#
                + #"(`systemctl --user stop 'opencode@my\x2dapp.service'`)."#)
        #expect(FolderServer(process: 7, unit: nil).refusal.description.hasSuffix("End that process first (`kill 7`)."))
    }
}
