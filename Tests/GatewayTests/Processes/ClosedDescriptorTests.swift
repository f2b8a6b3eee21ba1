// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that a gateway started with closed standard descriptors, as by `<&- >&- 2>&-`, opens none of its own files in
/// their place.
@Suite(.onTestThreads) struct ClosedDescriptorTests {
    @Test func `closed standard descriptors become the null device`() throws {
        let home = try TemporaryDirectory()
        let port = try FreePort.find()
        // The gateway has no output on which it could announce itself.
        let manager = try NotifySocket()
        let process = try TestProcess(
            "/bin/sh",
            [
                "-c", "exec \"$0\" \"$@\" <&- >&- 2>&-", try BuiltProducts.path("viberemote-gateway"), "serve",
                "--listen", "127.0.0.1:\(port)", "--home", home.path, "--log-level", "debug",
            ],
            environment: [
                "VIBE_AUTH_SECRET": GatewayUnderTest.key, "VIBE_THREADS": "1", "VIBE_SUPERVISOR": "process",
                "VIBE_CONFIG": "none", "HOME": home.path, "XDG_RUNTIME_DIR": home.path,
                "XDG_STATE_HOME": "\(home.path)/state", "NOTIFY_SOCKET": manager.path,
            ])
        _ = try manager.expect("READY=1")

        // The request is logged to the file that standard error refers to.
        #expect(try TestClient.request(port: port, "GET", "/health").status == 200)

        let descriptors = try (0...2).map { try FileTree.resolve("/proc/\(process.pid)/fd/\($0)") }

        #expect(descriptors == ["/dev/null", "/dev/null", "/dev/null"])

        process.terminate()

        #expect(try process.waitForExit(within: .seconds(20)) == .exited(0))
    }

    @Test(arguments: ["<&-", ">&-", "2>&-"]) func `a command with one closed descriptor succeeds`(closed: String) throws
    {
        let process = try TestProcess(
            "/bin/sh", ["-c", "exec \"$0\" --version \(closed)", try BuiltProducts.path("viberemote-gateway")])

        #expect(try process.waitForExit() == .exited(0))
    }
}
