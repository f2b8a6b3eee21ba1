// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the values of `viberemote-gateway key create` and `key change`, and what the command prints about them.
@Suite(.onTestThreads) struct KeyChangeCommandTests {
    /// A state directory, the address of a gateway that may use it, and the home directory.
    private struct Target {
        let state: String
        let port: UInt16
        let home: String
        /// The objects that must exist as long as the target.
        let owner: [any Sendable]

        func run(_ arguments: String...) throws -> ProgramRun {
            try ProgramRun(
                ["key"] + arguments + ["--listen", "127.0.0.1:\(port)", "--state-dir", state, "--home", home],
                ["VIBE_AUTH_SECRET": GatewayUnderTest.key])
        }

        /// Returns a value of the key in the JSON response.
        func value(_ name: String, of key: String) throws -> JSON? {
            try JSONParser.parse(Array(run("show", key, "--json").output.joined().utf8))[name]
        }
    }

    /// Returns a running gateway, and a target for a gateway that has ended.
    private func targets() throws -> (gateway: GatewayUnderTest, running: Target, ended: Target) {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("shop")
        let closed = try RefusingPort()
        let other = try TemporaryDirectory()
        try other.makeDirectory("shop")
        return (
            gateway, Target(state: gateway.stateFolder, port: gateway.port, home: gateway.home.path, owner: [gateway]),
            Target(state: "\(other.path)/state", port: closed.number, home: other.path, owner: [other, closed])
        )
    }

    private func change(_ target: Target) throws {
        _ = try target.run("create", "anna")
        let changed = try target.run(
            "change", "anna", "--allow", "run", "--project", "shop", "--expires", "90d", "--rate", "20/s", "--streams",
            "none", "--identity", "anna@example.com", "--note", "old")

        #expect(changed.status == .exited(0), "\(changed.error)")
        #expect(changed.output.contains { $0.split(separator: " ") == ["allow", "run"] })
        #expect(try target.value("allow", of: "anna") == "run")
        #expect(try target.value("projects", of: "anna")?.elements?.map(\.text) == ["shop"])
        #expect(try target.value("expires", of: "anna") != .null)
        #expect(try target.value("rate", of: "anna") == "20/s")
        #expect(try target.value("streams", of: "anna") == "none")
        #expect(try target.value("identity", of: "anna") == "anna@example.com")
        #expect(try target.value("note", of: "anna") == "old")

        let removed = try target.run(
            "change", "anna", "--all-projects", "--expires", "never", "--rate", "none", "--streams", "default",
            "--identity", "", "--note", "")

        #expect(removed.status == .exited(0), "\(removed.error)")
        #expect(try target.value("rate", of: "anna") == "none")
        for name in ["projects", "expires", "streams", "identity", "note"] {
            #expect(try target.value(name, of: "anna") == .null, "\(name)")
        }
        // Values that no flag names remain.
        #expect(try target.value("allow", of: "anna") == "run")
    }

    @Test func `change sets and removes values through the running gateway`() throws {
        let (gateway, target, _) = try targets()
        try change(target)
        let key = try gateway.createKey("phone", #""allow":"run""#)

        #expect(try gateway.request("GET", "/projects/shop/status", key: key).status == 200)
        #expect(try target.run("change", "phone", "--project", "other").status == .exited(0))
        #expect(try gateway.request("GET", "/projects/shop/status", key: key).status == 404)
    }

    @Test func `change sets and removes values in the database of a gateway that does not run`() throws {
        try change(try targets().ended)
    }

    @Test func `change does nothing if a running gateway cannot be reached`() throws {
        let (_, running, ended) = try targets()
        _ = try running.run("create", "anna")
        let run = try Target(
            state: running.state, port: ended.port, home: running.home, owner: running.owner + ended.owner
        )
        .run("change", "anna", "--allow", "read")

        #expect(run.status == .exited(1))
        #expect(run.error.last?.contains("Nothing was changed.") == true)
        #expect(try running.value("allow", of: "anna") == "write")
    }

    @Test func `an unknown project causes a warning, and a comma in it an error`() throws {
        let targets = try targets()
        for target in [targets.running, targets.ended] {
            let unknown = try target.run("create", "a", "--project", "shop", "--project", "nosuch")

            #expect(unknown.status == .exited(0))
            #expect(
                unknown.error.contains(
                    #"Warning: there is no project "nosuch". The key can open it only after its folder exists."#),
                "\(unknown.error)")

            let similar = try target.run("change", "a", "--project", "Shop")

            #expect(similar.error.last?.hasSuffix("Did you mean shop?") == true, "\(similar.error)")

            let comma = try target.run("create", "b", "--project", "shop,blog")

            #expect(comma.status == .exited(2))
            #expect(
                comma.error.last
                    == #"--project "shop,blog" is not a project, and a comma does not separate names: repeat the flag "#
                    + "(--project shop --project blog).")
            #expect(try target.run("show", "b").status == .exited(1))
            #expect(try !target.run("create", "c", "--project", "shop").error.contains { $0.contains("Warning") })
        }
    }

    private static let token = "vr_AAAAAAAAAA_" + String(repeating: "b", count: 34)

    @Test(arguments: [
        (
            ["create", "a", "--allow", "superuser"],
            #"--allow "superuser" is invalid: use read, answer, write, run or admin."#
        ),
        (
            ["create", "a", "--rate", "200000/s"],
            #"--rate "200000/s" is invalid: use a rate such as 20/s, 300/min or 1000/h, with a number from 1 to 100000, or none."#
        ),
        (
            ["create", "a", "--streams", "99999999999999999999"],
            #"--streams "99999999999999999999" is invalid: use a whole number from 1 to 100000, or none."#
        ),
        (
            ["change", "a", "--expires", "30"],
            #"--expires "30" is invalid: use a whole number with one of the units s, min, h and d, such as 12h or 90d."#
        ),
        (["change", "a", "--expires", "9999d"], #"--expires "9999d" is invalid: use a time from 1s to 3650d."#),
        (
            ["create", "a", "--project", "b", "--project", "../c"],
            #"--project "../c" is invalid: use the names of the projects' directories."#
        ),
        (
            ["rotate", "a", "--keep-old", "x"],
            #"--keep-old "x" is invalid: use a whole number with one of the units s, min, h and d, such as 12h or 90d."#
        ),
        (
            ["rename", "a", "VIBE_AUTH_SECRET"],
            #"The name "VIBE_AUTH_SECRET" is invalid: choose a name that does not denote an administrator's key."#
        ),
        (
            ["create", String(repeating: "x", count: 100_000)],
            #"The name "\#(String(repeating: "x", count: 80))…" is invalid: use 1 to 64 characters."#
        ),
        // The message does not repeat a secret.
        (["create", token], "The name is invalid: use a text that does not contain a key (vr_…)."),
        (
            ["create", "a", "--note", "my \(token)"],
            "--note is invalid: use a text that does not contain a key (vr_…)."
        ),
        (
            ["create", "a", "--rate", GatewayUnderTest.key],
            "--rate is invalid: use a rate such as 20/s, 300/min or 1000/h, with a number from 1 to 100000, or none."
        ),
    ])
    func `a wrong value exits with 2, and the message names the flag and the value`(
        arguments: [String], message: String
    ) throws {
        let run = try ProgramRun(["key"] + arguments, ["VIBE_AUTH_SECRET": GatewayUnderTest.key])

        #expect(run.status == .exited(2))
        #expect(run.output.isEmpty)
        #expect(run.error == [message])
    }

    @Test func `a name that is not UTF-8 is refused`() throws {
        let program = try BuiltProducts.path("viberemote-gateway")
        let process = try TestProcess(
            "/bin/sh", ["-c", "exec \"$0\" key create \"$(printf 'a\\377\\376')\"", program],
            environment: ["VIBE_AUTH_SECRET": GatewayUnderTest.key, "VIBE_CONFIG": "none"])

        #expect(try process.waitForExit(within: .seconds(40)) == .exited(2))
        #expect(process.lines(of: .error).last?.hasSuffix("is invalid: use valid UTF-8.") == true)
    }

    @Test func `list marks expired keys, shows identities, and aligns wide characters`() throws {
        let target = try targets().running
        _ = try target.run("create", "日本", "--identity", "anna@example.com")
        _ = try target.run("create", "soon", "--expires", "1s")
        let long = String(repeating: "n", count: 64)
        _ = try target.run("create", long)
        var lines: [String] = []
        let deadline = ContinuousClock.now + .seconds(20)
        repeat {
            lines = try target.run("list").output
        } while !lines.contains { $0.contains("(expired)") } && .now < deadline

        #expect(lines.filter { $0.contains("(expired)") }.map { $0.prefix(4) } == ["soon"])
        #expect(
            try target.run("show", "soon").output.contains { $0.hasPrefix("expires ") && $0.hasSuffix("Z (expired)") })

        let heading = try #require(lines.first)
        let column = try #require(heading.range(of: "ID ")).lowerBound.utf16Offset(in: heading)
        let japanese = try #require(lines.first { $0.hasPrefix("日本") })

        #expect(column == 66)
        // Each of the two characters occupies two columns.
        #expect(japanese.hasPrefix("日本" + String(repeating: " ", count: 62)))
        #expect(!japanese.hasPrefix("日本" + String(repeating: " ", count: 63)))
        #expect(japanese.contains("  anna@example.com  "))
    }

    @Test func `list --names prints only names, and needs a running gateway`() throws {
        let targets = try targets()
        _ = try targets.running.run("create", "Anna's phone")
        _ = try targets.running.run("create", "ci")

        #expect(try targets.running.run("list", "--names").output == ["Anna's phone", "ci"])

        let run = try targets.ended.run("list", "--names")

        #expect(run.status == .exited(1))
        #expect(run.output.isEmpty)
        #expect((try? FileTree.names(in: targets.ended.state)) == nil)
    }

    @Test func `revoke and rename print the name of a key that is named by its id`() throws {
        let target = try targets().running
        let created = try target.run("create", "phone")
        let id = String(try #require(created.output.first?.split(separator: "_")[1]))

        #expect(try target.run("create", id).status == .exited(2))
        #expect(try target.run("rename", id, "phone").output == ["phone: this is already the name"])
        #expect(try target.run("rename", id, "tablet").output == ["phone: renamed to tablet"])
        #expect(try target.run("revoke", id).output == ["tablet: revoked"])
    }

    @Test func `a key that is exempt from the default limits has none`() throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_KEY_RATE": "1/h"])
        let limited = try gateway.createKey("limited")
        let exempt = try gateway.createKey("exempt", #""rate":"none""#)
        for _ in 0..<5 { #expect(try gateway.request("GET", "/projects", key: exempt).status == 200) }

        #expect(try gateway.request("GET", "/projects", key: limited).status == 200)

        let response = try gateway.request("GET", "/projects", key: limited)

        #expect(response.status == 429)
        #expect(response.json["detail"]?.text?.hasPrefix("This key may send 1 request an hour. Try again in ") == true)
    }
}
