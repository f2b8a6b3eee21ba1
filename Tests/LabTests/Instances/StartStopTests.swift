// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Tests instances as units of the user's manager, controlled over HTTP and by hand.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct StartStopTests {
    @Test(arguments: LabRoot.allCases) func `start, repeated start, stop and status act on the project's unit`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine.withGateway(root)
        let started = try machine.startNew(project: "alpha")

        #expect(started.status == "started")
        #expect(try machine.property("ActiveState", of: "opencode@alpha") == "active")
        #expect(try machine.folderServed("alpha") == "/home/vibe/alpha")

        let status = try machine.status("alpha")

        #expect(status.isRunning)
        #expect(status.state == "ready")
        #expect(status.port == started.port)
        #expect(try machine.property("MainPID", of: "opencode@alpha") == status.pid.map { "\($0)" })

        let again = try machine.start(project: "alpha")

        #expect(again == StartAnswer(name: "alpha", port: started.port, status: "already_running"))

        try machine.stop(project: "alpha")

        #expect(try machine.property("ActiveState", of: "opencode@alpha") == "inactive")

        let stopped = try machine.status("alpha")

        #expect(!stopped.isRunning)
        #expect(stopped.state == "stopped")
        #expect(stopped.port == nil)
        #expect(stopped.lastError == nil)
        #expect(try machine.request("GET", "/projects/alpha/api/path").status == 503)
    }

    /// Only crashes count toward the start limit; the owner's restarts do not.
    @Test(arguments: LabRoot.allCases) func `repeated starts and stops are not a crash loop`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root)
        try machine.makeProject("alpha")

        for _ in 1...8 {
            #expect(try machine.start(project: "alpha").status == "started")
            try machine.stop(project: "alpha")
        }
    }

    @Test(arguments: LabRoot.allCases) func `a manual start, restart or stop changes the status`(_ root: LabRoot)
        throws
    {
        let machine = try LabMachine.withGateway(root)
        try machine.makeProject("alpha")
        try machine.run("systemctl --user start opencode@alpha")
        let adopted = try machine.waitForStatus(of: "alpha", "the unit that was started by hand") {
            $0.state == "ready"
        }

        #expect(try machine.start(project: "alpha").status == "already_running")

        try machine.run("systemctl --user restart opencode@alpha")
        let restarted = try machine.waitForStatus(of: "alpha", "the new run") {
            $0.state == "ready" && $0.pid != adopted.pid
        }

        #expect(try machine.property("MainPID", of: "opencode@alpha") == restarted.pid.map { "\($0)" })
        #expect(try machine.folderServed("alpha") == "/home/vibe/alpha")

        try machine.run("systemctl --user stop opencode@alpha")

        #expect(try machine.waitForStatus(of: "alpha", "the stop") { $0.state == "stopped" }.port == nil)
        #expect(try machine.request("GET", "/projects/alpha/api/path").status == 503)
    }

    /// The connections end before the manager reports the stop. Nevertheless, the client's error names the service
    /// manager.
    @Test(arguments: LabRoot.allCases)
    func `a prompt receives a 503 that names the service manager after a manual stop`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root)
        _ = try machine.startNew(project: "alpha")
        let json = ("Content-Type", "application/json")
        let made = try machine.request("POST", "/projects/alpha/api/session", headers: [json], body: Array("{}".utf8))
        let session = try #require(made.text.firstMatch(of: #/ses_\w+/#)?.output)
        let client = try machine.connect(port: LabMachine.port)
        try client.send(
            "POST", "/projects/alpha/api/session/\(session)/message",
            headers: [("Authorization", "Bearer \(try machine.key())"), json],
            body: Array(#"{"parts":[{"type":"text","text":"Hello [silent=60s]"}]}"#.utf8))
        let deadline = Deadline(after: .seconds(20))
        while try !machine.request("GET", "/projects/alpha/api/session/status").text.contains("busy") {
            guard !deadline.hasPassed else { throw LabFailure("the turn does not begin") }
        }
        try machine.run("systemctl --user stop opencode@alpha")
        let answer = try ResponseReader(client, method: "POST").readAll()

        #expect(answer.status == 503)
        #expect(answer.text.contains("was stopped by its service manager, not by the gateway"), "\(answer.text)")
    }

    /// `opencode@my_app` was the original's unit for `my.app`. Here it belongs to no project.
    @Test(arguments: LabRoot.allCases) func `a unit of the original that belongs to no project is logged`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine.withGateway(root)
        try machine.makeProject("my.app")
        try machine.run("mkdir -p ~/my_app && systemctl --user start opencode@my_app && rmdir ~/my_app || true")
        try machine.run("systemctl --user restart viberemote-gateway")

        #expect(try machine.status("my.app").state == "stopped")

        let log = try machine.output("journalctl --user -u viberemote-gateway -o cat")

        #expect(log.contains("a unit belongs to no project"))
    }

    @Test(arguments: LabRoot.allCases) func `fifty concurrent starts succeed`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root)
        let names = (1...50).map { "p\($0)" }
        try machine.run("cd && mkdir \(names.joined(separator: " "))")
        try machine.waitForStatus(of: "p50", "the folders") { $0.state == "stopped" }
        let answers = Recorded<StartAnswer>("an answer to a start")
        let failures = Recorded<String>("a failed start")
        let threads = try names.map { name in
            try TestThread {
                do { answers.append(try machine.start(project: name)) } catch { failures.append("\(name): \(error)") }
            }
        }
        for thread in threads { thread.join() }

        #expect(failures.values == [])
        #expect(Set(answers.values.map(\.port)).count == 50)

        for name in ["p1", "p25", "p50"] { #expect(try machine.folderServed(name) == "/home/vibe/\(name)") }
    }
}
