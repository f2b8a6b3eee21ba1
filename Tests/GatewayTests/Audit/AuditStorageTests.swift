// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import Storage
@testable import opencode_simulator

/// Tests that the database of the audit log never delays a request.
@Suite(.onTestThreads) struct AuditStorageTests {
    @Test func `requests are answered at once while another program blocks the database`() throws {
        let instance = try FakeOpenCode().start { connection, head in
            _ = try connection.readBody(of: head)
            try connection.respond(200, text: "{}")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        _ = try gateway.audit(count: 1)
        let blocker = try Connection("\(gateway.stateFolder)/audit.db", for: .writing)
        try blocker.execute("BEGIN IMMEDIATE")
        for _ in 1...50 {
            let start = ContinuousClock.now
            let response = try gateway.request("POST", "/projects/demo/api/session/ses_1/message", body: [])
            #expect(response.status == 200)
            // The writer waits a second for the lock.
            #expect(ContinuousClock.now - start < .milliseconds(500))
        }
        try gateway.waitForLog("cannot write the audit log")
        try blocker.execute("COMMIT")

        #expect(try gateway.audit(count: 51).dropFirst().allSatisfy { $0.action == "prompt" })
        try gateway.waitForLog("the audit log can be written again")
    }

    @Test func `a gateway that cannot open the audit log serves requests and reports the reason`() throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("state")
        _ = try directory.write(String(repeating: "no database ", count: 500), to: "state/audit.db", mode: 0o600)
        let gateway = try GatewayUnderTest(flags: ["--state-dir", "\(directory.path)/state"])
        try gateway.waitForLog("cannot open the audit log, so actions are not recorded")

        #expect(try gateway.request("GET", "/projects").status == 200)

        let response = try gateway.request("GET", "/-/audit")

        #expect(response.status == 503)
        #expect(response.json["detail"]?.text?.hasPrefix("The audit log cannot be read: ") == true)
    }

    @Test func `the access line contains the name of the key`() throws {
        let gateway = try GatewayUnderTest()
        let key = try gateway.createKey("Anna's phone")
        _ = try gateway.request("GET", "/projects", key: key)
        _ = try TestClient.request(port: gateway.port, "GET", "/health", headers: [])

        let line = try gateway.process.waitForLine(on: .error) { $0.contains(#""path":"/projects""#) }
        #expect(line.contains(#""key":"Anna's phone""#), "\(line)")

        let health = try gateway.process.waitForLine(on: .error) { $0.contains(#""path":"/health""#) }
        #expect(!health.contains(#""key":"#))
    }
}
