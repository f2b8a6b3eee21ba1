// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests the contract's row `500 Failed to stop service: …` with a process that the gateway may not signal. The process
/// belongs to another user, and the gateway runs as root without the capability to signal other users' processes.
@Suite(.onTestThreads, .enabled(if: getuid() == 0, "only root can start processes of another user"))
struct FailedStopTests {
    @Test func `a failed stop reports its reason and succeeds once the process has ended`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
        let tools = try TemporaryDirectory()
        let opencode = try tools.write(
            """
            #!/bin/sh
            # Whoever hears of the port cannot end it any more.
            announcement="echo opencode server listening on http://127.0.0.1:$(cat upstream-port)"
            exec setpriv --reuid 65534 --clear-groups sh -c "$announcement; exec tail -f --pid=$PPID /dev/null"
            """, to: "opencode", mode: 0o755)
        let gateway = try GatewayUnderTest(
            flags: ["--stop-timeout", "100ms"], opencode: opencode,
            launcher: ["/usr/bin/setpriv", "--bounding-set=-kill", "--inh-caps=-kill"])
        try gateway.start(instance)
        let sentence =
            "Failed to stop service: the process did not end within 5 s after SIGKILL, so it hangs in the kernel."
        let answer = try gateway.request("DELETE", "/projects/demo/stop", within: .seconds(30))

        #expect(answer.status == 500)
        #expect(answer.text == #"{"detail":"\#(sentence)"}"#)

        let status = try gateway.request("GET", "/projects/demo/status").text
        let pid = try #require(status.firstMatch(of: /"pid":(\d+)/).flatMap { Int32($0.1) }, "\(status)")

        #expect(kill(pid, SIGKILL) == 0)

        try gateway.process.waitForLine(on: .error) { $0.contains("the instance is stopped") }
        try gateway.expect("DELETE", "/projects/demo/stop", 200, #"{"name":"demo","status":"stopped"}"#)
    }
}
