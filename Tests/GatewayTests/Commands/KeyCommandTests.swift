// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests `viberemote-gateway key …`, with a running gateway and with the database alone.
@Suite(.onTestThreads) struct KeyCommandTests {
    /// A state directory, and the address of a gateway that may use it.
    private struct Target {
        let state: String
        let port: UInt16

        func run(_ arguments: String..., key: String = GatewayUnderTest.key) throws -> ProgramRun {
            try ProgramRun(
                ["key"] + arguments + ["--listen", "127.0.0.1:\(port)", "--state-dir", state],
                ["VIBE_AUTH_SECRET": key])
        }
    }

    private static func target(_ gateway: GatewayUnderTest) -> Target {
        Target(state: gateway.stateFolder, port: gateway.port)
    }

    /// Creates, lists, rotates, renames and revokes a key.
    private func manage(_ target: Target) throws {
        let created = try target.run("create", "Anna's phone", "--allow", "read", "--expires", "90d", "--note", "new")

        #expect(created.status == .exited(0), "\(created.error)")
        // Only the key itself is printed on stdout.
        #expect(created.output.count == 1)
        #expect(created.output.first?.hasPrefix("vr_") == true)
        #expect(created.error.allSatisfy { !$0.contains("vr_") })
        #expect(created.error.last?.hasPrefix("The key of Anna's phone (id ") == true)

        let list = try target.run("list")

        #expect(list.output.count == 2)
        #expect(list.output.first?.hasPrefix("NAME") == true)
        #expect(list.output.last?.hasPrefix("Anna's phone  ") == true)

        let rotated = try target.run("rotate", "Anna's phone", "--keep-old", "1d")

        #expect(rotated.output.count == 1)
        #expect(rotated.output != created.output)
        #expect(try target.run("rename", "Anna's phone", "tablet").output == ["Anna's phone: renamed to tablet"])

        let shown = try target.run("show", "tablet")
        let id = try #require(created.output.first?.split(separator: "_")[1])

        #expect(shown.output.contains("id             \(id)"))
        #expect(shown.output.contains("note           new"))
        #expect(try target.run("show", String(id)).output == shown.output)
        #expect(try target.run("create", "tablet").status == .exited(1))
        #expect(try target.run("revoke", "tablet").output == ["tablet: revoked"])

        let missing = try target.run("revoke", "tablet")

        #expect(missing.status == .exited(1))
        #expect(missing.error.last?.hasPrefix("There is no key with the name or id tablet.") == true)
        #expect(
            try target.run("list", "--json").output == [#"{"keys":[]}"#])
    }

    @Test func `keys are managed through the running gateway`() throws {
        let gateway = try GatewayUnderTest()
        let target = Self.target(gateway)
        let created = try target.run("create", "first")
        let key = NamedKey(id: "", token: try #require(created.output.first))

        #expect(try gateway.request("GET", "/projects", key: key).status == 200)
        #expect(try target.run("revoke", "first").status == .exited(0))
        #expect(try gateway.request("GET", "/projects", key: key).status == 401)

        try manage(target)
    }

    @Test func `without a gateway, keys are managed in its database`() throws {
        let gateway = try GatewayUnderTest()
        let closed = try RefusingPort()
        try gateway.terminate()
        let target = Target(state: gateway.stateFolder, port: closed.number)
        try manage(target)
        let created = try target.run("create", "phone")
        let next = try GatewayUnderTest(after: gateway)

        #expect(
            try next.request("GET", "/projects", key: NamedKey(id: "", token: try #require(created.output.first)))
                .status
                == 200)
    }

    @Test func `a key that cannot be printed is an error`() throws {
        let gateway = try GatewayUnderTest()
        let program = try BuiltProducts.path("viberemote-gateway")
        let process = try TestProcess(
            "/bin/sh",
            ["-c", "exec \"$0\" key create phone --listen 127.0.0.1:\(gateway.port) >/dev/full", program],
            environment: ["VIBE_AUTH_SECRET": GatewayUnderTest.key, "VIBE_CONFIG": "none"])

        #expect(try process.waitForExit(within: .seconds(40)) == .exited(1))
        #expect(
            process.lines(of: .error).last
                == "The key of phone was created, but cannot be printed. Free space for the output, and run `key rotate` to "
                + "replace the key.")
    }

    @Test func `without a gateway, the command names the database`() throws {
        let state = try TemporaryDirectory()
        let closed = try RefusingPort()
        let run = try Target(state: "\(state.path)/state", port: closed.number).run("list")

        #expect(
            run.error == [
                "No gateway responds at 127.0.0.1:\(closed.number), so the command uses the database in \(state.path)/state."
            ])
    }

    @Test func `nothing changes if a running gateway cannot be reached`() throws {
        let gateway = try GatewayUnderTest()
        let key = try gateway.createKey()
        let closed = try RefusingPort()
        let run = try Target(state: gateway.stateFolder, port: closed.number).run("revoke", "phone")

        #expect(run.status == .exited(1))
        #expect(run.output.isEmpty)
        #expect(
            run.error == [
                "A gateway (process \(gateway.process.pid)) uses the database but does not respond. Nothing was changed. "
                    + "127.0.0.1:\(closed.number) refuses connections. Set --listen to the address of the running gateway."
            ])
        #expect(try gateway.request("GET", "/projects", key: key).status == 200)
    }

    @Test func `the key is not sent to a program that is not a gateway`() throws {
        let heads = Recorded<String>()
        let other = try TestServer { connection in
            while let head = try connection.readRequestHead(within: .seconds(60)) {
                heads.append(head.value(of: "authorization") ?? "none")
                try connection.respond(200, text: "hello")
            }
        }
        let state = try TemporaryDirectory()
        let run = try Target(state: "\(state.path)/state", port: other.port).run("list")

        #expect(run.status == .exited(0))
        #expect(run.output == ["There are no keys. Create one with `key create NAME`."])
        #expect(heads.values == ["none"])
    }

    @Test func `a wrong administrator's key is reported with its cause`() throws {
        let gateway = try GatewayUnderTest()
        let run = try Self.target(gateway).run("list", key: "another-key-0123456789")

        #expect(run.status == .exited(1))
        #expect(
            run.error == [
                "Invalid API key: the running gateway does not accept the key of VIBE_AUTH_SECRET. Use a key of the running "
                    + "gateway."
            ])
    }

    @Test(arguments: [
        (["create"], "key create has no NAME: write viberemote-gateway key create NAME."),
        (["create", "a", "b"], "\"b\" is not expected after key create: write viberemote-gateway key create NAME."),
        (["rename", "a"], "key rename has no NAME: write viberemote-gateway key rename KEY NAME."),
        (
            ["list", "--allow", "read"],
            "--allow is not valid for key list: it belongs to key create and key change. Remove it."
        ),
        (["create", "a", "--allow", "read", "--allow", "run"], "--allow is given twice. Write it once."),
    ])
    func `wrong arguments are reported`(arguments: [String], message: String) throws {
        let run = try ProgramRun(["key"] + arguments, ["VIBE_AUTH_SECRET": GatewayUnderTest.key])

        #expect(run.status == .exited(2))
        #expect(run.error == ["viberemote-gateway: \(message)"] || run.error == [message], "\(run.error)")
    }
}
