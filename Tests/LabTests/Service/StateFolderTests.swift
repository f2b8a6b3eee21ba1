// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Tests that the gateway's persistent state has the same location under every systemd version. Version 252 puts the
/// `StateDirectory=` of a user unit in a different place from version 257.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct StateFolderTests {
    @Test(arguments: LabRoot.allCases, LabScope.allCases)
    func `the history survives a restart of the service at the same path`(_ root: LabRoot, _ scope: LabScope) throws {
        let machine = try LabMachine.withGateway(root, scope)
        try machine.makeProject("demo")
        try machine.start(project: "demo")
        let files = "\(scope.state) \(scope.state)/state.db \(scope.state)/state.db.lock"

        #expect(
            try machine.output("stat -c '%a %U' \(files)", as: .root).split(separator: "\n")
                == ["700 vibe", "600 vibe", "600 vibe"])
        #expect(try machine.output("find / -xdev -name state.db", as: .root) == "\(scope.state)/state.db")

        let before = try machine.request("GET", "/projects/demo/history").text

        #expect(before.contains(#""event":"started""#), "\(before)")
        #expect(before.contains(#""event":"ready""#), "\(before)")

        let since = try machine.request("GET", "/projects/demo/status").text
        try machine.run("systemctl \(scope.option) restart viberemote-gateway", as: scope.admin)
        _ = try machine.waitForStatus(of: "demo", "its adoption") { $0.state == "ready" }

        // The restart adds no event to the history of the instance.
        #expect(try machine.request("GET", "/projects/demo/history").text == before)
        #expect(try machine.request("GET", "/projects/demo/status").text == since)
    }
}
