// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests a project's folder that is replaced while its server runs. The server continues in the old folder without a
/// visible sign.
@Suite(.onTestThreads) struct ReplacedFolderTests {
    /// A change to the folder, and the server's working directory after it.
    enum Change: CaseIterable {
        case moved, deleted

        func make(_ folder: String) -> String {
            switch self {
            case .moved:
                rename(folder, folder + ".old")
                return folder + ".old"
            case .deleted:
                for name in (try? FileTree.names(in: folder)) ?? [] { unlink("\(folder)/\(name)") }
                rmdir(folder)
                return folder + " (deleted)"
            }
        }
    }

    @Test(arguments: Change.allCases)
    func `the status and the log warn about a replaced project folder, and requests still reach the instance`(
        change: Change
    ) throws {
        let fixture = try SimulatorFixture()

        #expect(try fixture.start().status == 200)
        #expect(try fixture.status().warnings.isEmpty)

        let path = change.make("\(fixture.gateway.home.path)/demo")
        try fixture.gateway.makeProject("demo")
        let sentence = "the server runs in a folder that was moved or deleted (\(path)): stop and start the project"

        #expect(try fixture.status().warnings == [sentence])

        try fixture.waitForLog(sentence)

        #expect(try fixture.request("/session").status == 200)

        // The warning is logged only once.
        try fixture.gateway.makeProject("another")
        _ = try fixture.status()

        #expect(fixture.gateway.log.count { $0.contains(sentence) } == 1)
        #expect(try fixture.gateway.request("DELETE", "/projects/demo/stop").status == 200)
        #expect(try fixture.start().status == 200)
        #expect(try fixture.status().warnings.isEmpty)

        try fixture.gateway.terminate()
    }
}
