// SPDX-License-Identifier: Apache-2.0

import Settings
import Testing

@Suite("The commands other than serve")
struct SubcommandTests {
    private static func project(_ words: [String]) -> (request: ProjectRequest, output: ProjectOutput)? {
        guard case .project(let request, let output, _) = CommandLineUnderTest.parse(["project"] + words) else {
            return nil
        }
        return (request, output)
    }

    @Test func `project accepts each of its actions with flags in any position`() throws {
        #expect(Self.project(["list"])?.request == .list)
        #expect(Self.project(["start", "my app"])?.request == .start("my app"))
        #expect(Self.project(["stop", "--listen", "127.0.0.1:1", "a"])?.request == .stop("a"))
        #expect(Self.project(["--json", "status", "a"])?.request == .status("a"))
        #expect(Self.project(["status", "--", "-a"])?.request == .status("-a"))
        #expect(Self.project(["history", "a"])?.request == .history("a"))

        #expect(Self.project(["list"])?.output == .table)
        #expect(Self.project(["list", "--json"])?.output == .json)
        #expect(Self.project(["list", "--names"])?.output == .names)
    }

    @Test(
        arguments: [
            (
                ["project"],
                "project has no action: write viberemote-gateway project list|start|stop|status|history [NAME] [FLAGS]."
            ),
            (["project", "strat", "a"], #""strat" is not an action of project: did you mean start?"#),
            (["project", "start"], "project start has no name: write viberemote-gateway project start NAME."),
            (
                ["project", "list", "a"],
                #""a" is not expected after project list: "#
                    + "write viberemote-gateway project list|start|stop|status|history [NAME] [FLAGS]."
            ),
            (
                ["project", "stop", "a", "b"],
                #""b" is not expected after project stop: "#
                    + "write viberemote-gateway project list|start|stop|status|history [NAME] [FLAGS]."
            ),
            (
                ["project", "list", "--threads", "2"],
                #""--threads" is not a flag of project: see `viberemote-gateway help project`."#
            ),
            (["project", "list", "--json=yes"], "--json does not accept a value: write --json alone."),
            (
                ["project", "start", "a", "--names"],
                "--names is valid only for project list without --json: remove --names or --json."
            ),
            (["exec"], "exec requires the instance name of the unit: write viberemote-gateway exec %i."),
            (["exec", "a", "b"], "exec requires the instance name of the unit: write viberemote-gateway exec %i."),
            (
                ["check", "now"],
                #""now" is not expected: check accepts only flags, see `viberemote-gateway help check`."#
            ),
        ])
    func `each invalid command line is rejected with one sentence`(arguments: [String], sentence: String) {
        #expect(CommandLineUnderTest.message(arguments) == sentence)
    }

    @Test func `a command ignores invalid values of settings that it does not use`() {
        let environment = ["VIBE_AUTH_SECRET": CommandLineUnderTest.key, "VIBE_THREADS": "many"]

        guard case .project = CommandLineUnderTest.parse(["project", "list"], environment) else {
            Issue.record("project looks at --threads")
            return
        }
        guard case .exec("a", _) = CommandLineUnderTest.parse(["exec", "a"], ["VIBE_LISTEN": "x"]) else {
            Issue.record("exec looks at --listen, or wants a key")
            return
        }
    }

    @Test func `an invalid setting of exec is a misconfiguration with exit status 78`() {
        guard case .misconfigured(let text) = CommandLineUnderTest.parse(["exec", "a"], ["HOME_DIR": "x"]) else {
            Issue.record("a wrong setting of exec is not told")
            return
        }

        #expect(text.hasPrefix(#"HOME_DIR "x" is not an absolute path"#))
        #expect(Command.misconfiguredExitCode == 78)
    }

    @Test func `check reports every error and uses the defaults in place of invalid values`() {
        let command = CommandLineUnderTest.parse(
            ["check", "--threads", "99"], ["VIBE_MAX_HEAD": "1", "VIBE_LOG_LEVEL": "debug"])
        guard case .check(let resolution) = command else {
            Issue.record("check is not understood")
            return
        }

        #expect(
            resolution.errors.map { $0.description.prefix { $0 != " " } } == [
                "--threads", "VIBE_MAX_HEAD", "VIBE_AUTH_SECRET",
            ])
        #expect(resolution.configuration.threads == 4)
        #expect(resolution.configuration.limits.maxHead == 16_384)
    }
}
