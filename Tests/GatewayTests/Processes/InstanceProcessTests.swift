// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests the gateway's child processes as any user sees them in /proc.
@Suite(.onTestThreads) struct InstanceProcessTests {
    /// Returns a command that writes its process id to a file, then behaves as OpenCode does.
    private static func opencode(_ gateway: TemporaryDirectory) throws -> String {
        try gateway.write(
            "#!/bin/sh\necho $$ >process\nexec '\(try BuiltProducts.path("opencode-simulator"))' \"$@\"\n",
            to: "opencode", mode: 0o755)
    }

    private func environment(of process: Int32) throws -> [String] {
        try FileTree.contents("/proc/\(process)/environ").split(separator: 0).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test func `a child process has none of the gateway's secrets and descriptors`() throws {
        let tools = try TemporaryDirectory()
        let gateway = try GatewayUnderTest(opencode: try Self.opencode(tools))
        try gateway.makeProject("demo")

        #expect(try gateway.request("POST", "/projects/demo/start").status == 200)

        let process = try #require(Int32(try gateway.readFile("demo/process").dropLast()))
        let variables = try environment(of: process)

        #expect(!variables.contains { $0.contains(GatewayUnderTest.key) || $0.hasPrefix("VIBE_") })

        let password = try #require(
            variables.first { $0.hasPrefix("OPENCODE_SERVER_PASSWORD=") }?.split(separator: "=")[1])

        #expect(password.utf8.count == 32)

        // The password is neither on the instance's command line nor on the gateway's, nor in the log.
        for number in [process, gateway.process.pid] {
            let words = String(decoding: try FileTree.contents("/proc/\(number)/cmdline"), as: UTF8.self)
            #expect(!words.contains(password))
            #expect(!words.contains(GatewayUnderTest.key))
        }

        #expect(!gateway.log.contains { $0.contains(password) })

        // The process has standard streams and the simulator's own sockets, but no descriptor of the gateway.
        let own = try Set(descriptors(of: gateway.process.pid).filter { $0.hasPrefix("socket:") })

        #expect(try Set(descriptors(of: process)).isDisjoint(with: own))
        #expect(
            try FileTree.contents("/proc/\(process)/cwd/process")
                == FileTree.contents("\(gateway.home.path)/demo/process"))

        try gateway.terminate()

        #expect(!ProcessMeasures.isAlive(process))
    }

    private func descriptors(of process: Int32) throws -> [String] {
        try FileTree.names(in: "/proc/\(process)/fd").compactMap { name in
            var target = [CChar](repeating: 0, count: 256)
            let count = readlink("/proc/\(process)/fd/\(name)", &target, target.count)
            return count > 0 ? String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
        }
    }

    @Test func `the output of an instance is in the log under its project's name`() throws {
        let gateway = try GatewayUnderTest(opencode: try BuiltProducts.path("opencode-simulator"))
        try gateway.makeProject("demo")

        #expect(try gateway.request("POST", "/projects/demo/start").status == 200)

        let line = try gateway.process.waitForLine(on: .error) { $0.contains("opencode server listening on") }

        #expect(line.contains(#""project":"demo""#))

        try gateway.terminate()
    }

    @Test func `with --instance-password off, an instance accepts any local client`() throws {
        let gateway = try GatewayUnderTest(
            flags: ["--instance-password", "off"], opencode: try BuiltProducts.path("opencode-simulator"))
        try gateway.makeProject("demo")
        let port = try startedPort(gateway)

        #expect(try TestClient.request(port: port, "GET", "/session").status == 200)

        try gateway.terminate()
        let careful = try GatewayUnderTest(opencode: try BuiltProducts.path("opencode-simulator"))
        try careful.makeProject("demo")

        #expect(try TestClient.request(port: try startedPort(careful), "GET", "/session").status == 401)
        #expect(try careful.request("GET", "/projects/demo/api/session").status == 200)

        try careful.terminate()
    }

    private func startedPort(_ gateway: GatewayUnderTest) throws -> UInt16 {
        let answer = try gateway.request("POST", "/projects/demo/start")
        let digits = answer.text.split(separator: "\"port\":").last?.prefix { $0.isNumber } ?? ""
        return try #require(UInt16(digits), "\(answer.text)")
    }
}
