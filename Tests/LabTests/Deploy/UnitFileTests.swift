// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Tests the units with systemd's own verification.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct UnitFileTests {
    @Test(arguments: LabRoot.allCases) func `systemd-analyze verify reports no problem in the units`(_ root: LabRoot)
        throws
    {
        let machine = try LabMachine(root)
        try machine.run(
            """
            mkdir -p ~/.local/bin ~/.config/systemd/user
            cp \(Lab.checkoutInside)/.build/dist/viberemote-gateway ~/.local/bin/
            cp \(Lab.checkoutInside)/units/user/* ~/.config/systemd/user/
            """)
        let user = try machine.run(
            "cd ~/.config/systemd/user && systemd-analyze --user verify opencode@demo.service viberemote-gateway.* 2>&1"
        )

        #expect(user.output == "")

        try machine.run(
            """
            cp \(Lab.checkoutInside)/.build/dist/viberemote-gateway /usr/local/bin/
            cp \(Lab.checkoutInside)/units/system/*.s* /etc/systemd/system/
            """, as: .root)
        let system = try machine.run(
            "cd /etc/systemd/system && systemd-analyze verify opencode@demo.service viberemote-gateway.* 2>&1",
            as: .root)

        #expect(system.output == "")
    }

    /// Prints the scores in the output of the test.
    @Test(arguments: LabRoot.allCases) func `each unit's exposure in systemd-analyze security is within its limit`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine(root)
        let units = "\(Lab.checkoutInside)/units"

        for (unit, limit) in [
            ("user/viberemote-gateway.service", 75), ("user/opencode@.service", 80),
            ("system/viberemote-gateway.service", 20), ("system/opencode@.service", 70),
        ] {
            let output = try machine.output(
                "systemd-analyze security --offline=true \(units)/\(unit) 2>&1 | tail -n 1", as: .root)
            print("\(root.rawValue), \(unit): \(output)")
            let score = try #require(
                output.split(separator: " ").compactMap { Double($0) }.first, "systemd-analyze wrote \(output)")
            #expect(Int(score * 10) <= limit)
        }
    }
}
