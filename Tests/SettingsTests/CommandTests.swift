// SPDX-License-Identifier: Apache-2.0

import Settings
import Testing

@Suite("The command line")
struct CommandTests {
    static func help(_ arguments: [String]) throws -> String {
        guard case .print(let text) = CommandLineUnderTest.parse(arguments, [:]) else {
            Issue.record("\(arguments) prints nothing")
            throw CancellationError()
        }
        return text
    }

    @Test(arguments: [["help"], ["--help"], ["-h"]])
    func `help, --help and -h print the same text and need no key`(arguments: [String]) throws {
        #expect(try Self.help(arguments) == Self.help(["--help"]))
    }

    @Test(
        arguments: [
            ["help", "serve"], ["serve", "-h"], ["serve", "--threads", "9", "--help"],
        ])
    func `the help of serve is the same by each of its names and at each position of the flag`(arguments: [String])
        throws
    {
        #expect(try Self.help(arguments) == Self.help(["serve", "--help"]))
    }

    @Test func `a command line without arguments prints the help as a usage error`() throws {
        #expect(try CommandLineUnderTest.message([]) == Self.help(["--help"]))
        #expect(Command.usageExitCode == 2)
    }

    @Test(
        arguments: [
            ["--help"], ["help", "serve"], ["help", "completion"], ["help", "man"], ["help", "help"],
            ["help", "check"],
            ["help", "project"], ["help", "key"], ["help", "exec"],
        ])
    func `each help text has a usage line and lines of at most 100 columns`(arguments: [String]) throws {
        let text = try Self.help(arguments)

        #expect(text.contains("Usage: viberemote-gateway "))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 && !$0.hasSuffix(" ") })
        #expect(text.hasSuffix("\n"))
        #expect(!text.hasSuffix("\n\n"))
    }

    @Test func `the overview lists every command`() throws {
        let text = try Self.help(["--help"])
        for command in ["serve", "check", "project", "key", "completion", "man", "exec", "help", "--version"] {
            #expect(text.contains("\n  \(command) "))
        }
    }

    @Test func `the help of serve lists each setting with its flag, environment variable and default`() throws {
        let text = try Self.help(["help", "serve"])
        for setting in Settings.table {
            let flag = setting.flag.map { "  \($0) \(setting.placeholder)  (\(setting.environment), " }
            let entry = flag ?? "  \(setting.environment)=KEY  (no flag, "
            #expect(text.contains(entry + "default \(setting.defaultText))"), "\(setting.name)")
            for word in setting.help.split(separator: " ") { #expect(text.contains(word)) }
        }

        #expect(text.contains("Examples:"))
        #expect(text.contains("openssl rand -hex 32"))
    }

    @Test func `--version prints the name and the version`() {
        guard case .print(GatewayVersion.line) = CommandLineUnderTest.parse(["--version"], [:]) else {
            Issue.record("--version is not understood")
            return
        }

        #expect(GatewayVersion.line == "viberemote-gateway 0.1.0")
    }

    @Test(
        arguments: [
            (["serv"], #""serv" is not a command of viberemote-gateway: did you mean serve?"#),
            (["start"], #""start" is not a command of viberemote-gateway: see `viberemote-gateway --help`."#),
            (["--listen"], #""--listen" is not a command of viberemote-gateway: see `viberemote-gateway --help`."#),
            (["help", "sevre"], #""sevre" is not a command of viberemote-gateway: did you mean serve?"#),
            (["serve", "--thread", "2"], #""--thread" is not a flag of serve: did you mean --threads?"#),
            (["serve", "--lsiten=x"], #""--lsiten" is not a flag of serve: did you mean --listen?"#),
            (["serve", "--colour"], #""--colour" is not a flag of serve: see `viberemote-gateway help serve`."#),
            (["serve", "-t"], #""-t" is not a flag of serve: see `viberemote-gateway help serve`."#),
            (
                ["serve", "now"],
                #""now" is not expected: serve accepts only flags, see `viberemote-gateway help serve`."#
            ),
            (
                ["serve", "--", "--threads"],
                #""--threads" is not expected: serve accepts only flags, see `viberemote-gateway help serve`."#
            ),
            (["serve", "--threads"], "--threads has no value: write --threads N."),
            (["serve", "--listen", "--threads", "2"], "--listen has no value: write --listen HOST:PORT."),
        ])
    func `each invalid argument is reported with a suggestion or a reference to the help`(
        arguments: [String], sentence: String
    ) {
        #expect(CommandLineUnderTest.message(arguments) == sentence)
    }

    @Test func `a value after = may begin with two hyphens or contain =, and a lone -- ends the flags`() throws {
        let configuration = try CommandLineUnderTest.serve(["--opencode=--odd a=b", "--"])

        #expect(configuration.opencode == ["--odd", "a=b"])
    }

    @Test func `a boolean setting has a --no- flag that disables it`() throws {
        #expect(try CommandLineUnderTest.serve([]).projects.pinsDirectories)

        for flags in [["--no-directory-pinning"], ["--directory-pinning", "on", "--no-directory-pinning"]] {
            #expect(try !CommandLineUnderTest.serve(flags).projects.pinsDirectories)
        }
        let later = try CommandLineUnderTest.serve(["--no-directory-pinning", "--directory-pinning=on"])

        #expect(later.projects.pinsDirectories)
        #expect(try !CommandLineUnderTest.serve(["--no-access-log"]).accessLog)

        for (flag, message) in [
            (
                "--no-directory-pinning=off",
                "--no-directory-pinning does not accept a value: write --no-directory-pinning alone, or --directory-pinning=on or "
                    + "--directory-pinning=off."
            ), ("--no-threads", "is not a flag of serve"), ("--no-threads=off", "is not a flag of serve"),
            ("--no-directory-pinnin", "did you mean --no-directory-pinning?"),
        ] {
            #expect(CommandLineUnderTest.message(["serve", flag]).contains(message), "\(flag)")
        }
    }
}
