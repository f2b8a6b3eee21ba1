// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests OpenCode 1 and 2 on one gateway, each started and queried in its own way.
@Suite(.onTestThreads) struct FamilyTests {
    private static let simulators = [("1.1.11", "1"), ("1.2.27", "1"), ("1.18.33", "1"), ("2.0.15", "2")]

    /// Starts a gateway with one project for each version, each with its own command.
    private func gateway(flags: [String] = [], environment: [String: String] = [:]) throws -> GatewayUnderTest {
        let simulator = try BuiltProducts.path("opencode-simulator")
        let gateway = try GatewayUnderTest(flags: flags, environment: environment, opencode: simulator)
        for (version, _) in Self.simulators {
            try gateway.makeProject("demo-\(version)")
            try gateway.home.write(
                "VIBE_OPENCODE=\(simulator) --profile \(version)\n", to: ".config/opencode/env.d/demo-\(version).env",
                mode: 0o600)
        }
        return gateway
    }

    @Test func `each version runs next to the others with its own command`() throws {
        let gateway = try gateway()
        for (version, family) in Self.simulators {
            let answer = try gateway.request(
                "POST", "/projects/demo-\(version)/start", within: SimulatorFixture.patience)
            #expect(answer.status == 200, "\(version): \(answer.text)")
            let status = try gateway.request("GET", "/projects/demo-\(version)/status")
            #expect(status.text.contains(#""version":"\#(version)","api":"\#(family)""#), "\(status.text)")
        }

        // The gateway reaches each instance with its own password at its own paths.
        #expect(try gateway.request("GET", "/projects/demo-1.18.33/api/global/health").text.contains("1.18.33"))
        #expect(try gateway.request("GET", "/projects/demo-2.0.15/api/api/info").text.contains("2.0.15"))

        for (version, _) in Self.simulators {
            #expect(try gateway.request("DELETE", "/projects/demo-\(version)/stop").status == 200)
            let status = try gateway.request("GET", "/projects/demo-\(version)/status").text
            #expect(status.contains(#""state":"stopped""#), "\(status)")
            #expect(status.contains(#""last_error":null"#), "\(status)")
        }

        #expect(!gateway.log.contains { $0.contains("failed") })
        // OpenCode 2 prints a password only if it generates one. Here each instance has a password from the gateway.
        #expect(!gateway.log.contains { $0.contains("server password") })
    }

    @Test(arguments: simulators.map(\.0))
    func `an instance is ready within milliseconds of its port announcement`(version: String) throws {
        let gateway = try gateway(flags: ["--log-format", "json"], environment: ["SIMULATOR_PACE": "0"])
        // Other programs may occupy the machine for a while, so there are eight attempts, each of ten starts. On a
        // machine that is always busy, everything is late, so readiness is also compared with the duration of requests
        // to the same instance.
        var tries: [(ready: Duration, request: Duration)] = []
        func isSoon(_ one: (ready: Duration, request: Duration)) -> Bool {
            one.ready <= max(.milliseconds(20), one.request * 5)
        }
        while tries.count < 8, !(tries.last.map(isSoon) ?? false) {
            var requests: [Duration] = []
            for _ in 0..<10 {
                #expect(try gateway.request("POST", "/projects/demo-\(version)/start").status == 200)
                requests.append(
                    try ContinuousClock().measure {
                        _ = try gateway.request("GET", "/projects/demo-\(version)/api/session")
                    })
                #expect(try gateway.request("DELETE", "/projects/demo-\(version)/stop").status == 200)
            }
            try gateway.waitForLog("the instance is ready", times: 10 * (tries.count + 1))
            let announced = try LogTimes.of(gateway.log, "server listening on http://")
            let ready = try LogTimes.of(gateway.log, "the instance is ready")
            let delays = zip(announced, ready).map { $1 - $0 }.suffix(10).sorted()
            try #require(delays.count == 10)
            tries.append((delays[5], requests.sorted()[5]))
        }
        print("OpenCode \(version): ready \(tries.map(\.ready)) after its announcement, median of ten")

        #expect(tries.contains(where: isSoon), "\(tries)")
    }

    @Test(arguments: ["1.18.33", "2.0.15"])
    func `with --instance-password off, each family serves requests without logging a password`(version: String) throws
    {
        let gateway = try gateway(flags: ["--instance-password", "off"])

        #expect(try gateway.request("POST", "/projects/demo-\(version)/start").status == 200)

        let path = version == "2.0.15" ? "/api/session" : "/session"

        #expect(try gateway.request("GET", "/projects/demo-\(version)/api\(path)").status == 200)

        let status = try gateway.request("GET", "/projects/demo-\(version)/status").text

        #expect(status.contains(#""warnings":[]"#), "\(status)")
        #expect(!gateway.log.contains { $0.contains("server password") })
    }

    @Test(arguments: ["off", "on"])
    func `a configured user name causes a warning for OpenCode 2 only, and requests still succeed`(password: String)
        throws
    {
        let gateway = try gateway(flags: ["--instance-password", password])
        try gateway.home.write(
            "OPENCODE_SERVER_PASSWORD=theirs\nOPENCODE_SERVER_USERNAME=gate\n", to: ".config/opencode/env", mode: 0o600)

        for version in ["1.18.33", "2.0.15"] {
            #expect(try gateway.request("POST", "/projects/demo-\(version)/start").status == 200)
            let path = version == "2.0.15" ? "/api/session" : "/session"
            #expect(try gateway.request("GET", "/projects/demo-\(version)/api\(path)").status == 200)
            let status = try gateway.request("GET", "/projects/demo-\(version)/status").text
            #expect(status.contains("OpenCode 2 accepts only the user opencode") == (version == "2.0.15"), "\(status)")
        }
    }

    @Test func `a password that OpenCode prints is masked in the log`() throws {
        let simulator = try BuiltProducts.path("opencode-simulator")
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")
        // The wrapper removes the password, so OpenCode 2 generates one and prints it.
        let wrapper = try gateway.home.write(
            "#!/bin/sh\nunset OPENCODE_PASSWORD OPENCODE_SERVER_PASSWORD\nexec '\(simulator)' --profile 2.0.15 \"$@\"\n",
            to: ".wrapper", mode: 0o755)
        try gateway.home.write("VIBE_OPENCODE=\(wrapper)\n", to: ".config/opencode/env.d/demo.env", mode: 0o600)

        // The instance does not accept the password that it never received.
        #expect(try gateway.request("POST", "/projects/demo/start", within: SimulatorFixture.patience).status >= 500)

        try gateway.waitForLog("server password ***")

        #expect(!gateway.log.contains { $0.contains("server password ") && !$0.contains("server password ***") })

        let status = try gateway.request("GET", "/projects/demo/status").text

        #expect(status.contains("OpenCode requires a password that the gateway did not send"), "\(status)")

        _ = try gateway.request("DELETE", "/projects/demo/stop")
    }

    @Test func `a changed command is reported in the status until the next start`() throws {
        let gateway = try gateway()
        let path = "/projects/demo-1.18.33"

        #expect(try gateway.request("POST", "\(path)/start").status == 200)
        #expect(try gateway.request("GET", "\(path)/status").text.contains(#""warnings":[]"#))

        try gateway.home.write(
            "VIBE_OPENCODE=\(try BuiltProducts.path("opencode-simulator")) --profile 2.0.15\n",
            to: ".config/opencode/env.d/demo-1.18.33.env", mode: 0o600)
        let status = try gateway.request("GET", "\(path)/status").text

        #expect(status.contains("restart to apply"), "\(status)")
        #expect(status.contains(#""api":"1""#), "\(status)")
        #expect(try gateway.request("DELETE", "\(path)/stop").status == 200)
        #expect(try gateway.request("POST", "\(path)/start").status == 200)

        let after = try gateway.request("GET", "\(path)/status").text

        #expect(after.contains(#""warnings":[]"#), "\(after)")
        #expect(after.contains(#""api":"2""#), "\(after)")
    }
}

/// The times of the lines of a JSON log.
enum LogTimes {
    /// Returns the times of all lines with the phrase, in order, since midnight.
    static func of(_ log: [String], _ phrase: String) throws -> [Duration] {
        try log.filter { $0.contains(phrase) }.map { line in
            // The field is "time":"2026-11-22T13:35:02.408Z".
            guard let start = line.range(of: "T", after: #""time":""#) else { throw TestFailure("no time in \(line)") }
            let parts = line[start...].prefix { $0 != "Z" && $0 != "\"" }.split(separator: ":")
            guard parts.count == 3, let hours = Int(parts[0]), let minutes = Int(parts[1]),
                let seconds = Double(parts[2])
            else { throw TestFailure("no time in \(line)") }
            return .seconds(hours * 3600 + minutes * 60) + .seconds(seconds)
        }
    }
}

extension String {
    /// Returns the position after the first `mark` that follows `prefix`.
    fileprivate func range(of mark: Character, after prefix: String) -> String.Index? {
        guard let end = firstRange(of: prefix)?.upperBound, let position = self[end...].firstIndex(of: mark) else {
            return nil
        }
        return index(after: position)
    }
}
