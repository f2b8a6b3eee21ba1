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

    @Test("Help needs no key and is the same by each of its names", arguments: [["help"], ["--help"], ["-h"]])
    func overview(arguments: [String]) throws {
        #expect(try Self.help(arguments) == Self.help(["--help"]))
    }

    @Test(
        "Help on serve is the same by each of its names, wherever the flag stands",
        arguments: [
            ["help", "serve"], ["serve", "-h"], ["serve", "--threads", "9", "--help"],
        ])
    func serveHelp(arguments: [String]) throws {
        #expect(try Self.help(arguments) == Self.help(["serve", "--help"]))
    }

    @Test("A bare call prints help and is an error")
    func bare() throws {
        #expect(try CommandLineUnderTest.message([]) == Self.help(["--help"]))
        #expect(Command.usageExitCode == 2)
    }

    @Test(
        "Every help has a usage and fits 100 columns",
        arguments: [
            ["--help"], ["help", "serve"], ["help", "completion"], ["help", "man"], ["help", "help"],
            ["help", "check"],
            ["help", "project"], ["help", "exec"],
        ])
    func helpIsReadable(arguments: [String]) throws {
        let text = try Self.help(arguments)
        #expect(text.contains("Usage: viberemote-gateway "))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 && !$0.hasSuffix(" ") })
        #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
    }

    @Test("The overview names every command")
    func commands() throws {
        let text = try Self.help(["--help"])
        for command in ["serve", "check", "project", "completion", "man", "exec", "help", "--version"] {
            #expect(text.contains("\n  \(command) "))
        }
    }

    @Test("Help on serve names every setting with flag, environment and default, and has examples")
    func helpIsComplete() throws {
        let text = try Self.help(["help", "serve"])
        for setting in Settings.table {
            let flag = setting.flag.map { "  \($0) \(setting.placeholder)  (\(setting.environment), " }
            let entry = flag ?? "  \(setting.environment)=KEY  (no flag, "
            #expect(text.contains(entry + "default \(setting.defaultText))"), "\(setting.name)")
            for word in setting.help.split(separator: " ") { #expect(text.contains(word)) }
        }
        #expect(text.contains("Examples:") && text.contains("openssl rand -hex 32"))
    }

    @Test("--version")
    func version() {
        guard case .print(GatewayVersion.line) = CommandLineUnderTest.parse(["--version"], [:]) else {
            Issue.record("--version is not understood")
            return
        }
        #expect(GatewayVersion.line == "viberemote-gateway 0.1.0")
    }

    @Test(
        "What is not understood is named, with what was probably meant",
        arguments: [
            (["serv"], #""serv" is no command of viberemote-gateway: did you mean serve?"#),
            (["start"], #""start" is no command of viberemote-gateway: see `viberemote-gateway --help`."#),
            (["--listen"], #""--listen" is no command of viberemote-gateway: see `viberemote-gateway --help`."#),
            (["help", "sevre"], #""sevre" is no command of viberemote-gateway: did you mean serve?"#),
            (["serve", "--thread", "2"], #""--thread" is no flag of serve: did you mean --threads?"#),
            (["serve", "--lsiten=x"], #""--lsiten" is no flag of serve: did you mean --listen?"#),
            (["serve", "--colour"], #""--colour" is no flag of serve: see `viberemote-gateway help serve`."#),
            (["serve", "-t"], #""-t" is no flag of serve: see `viberemote-gateway help serve`."#),
            (
                ["serve", "now"],
                #""now" is not expected: serve takes only flags, see `viberemote-gateway help serve`."#
            ),
            (
                ["serve", "--", "--threads"],
                #""--threads" is not expected: serve takes only flags, see `viberemote-gateway help serve`."#
            ),
            (["serve", "--threads"], "--threads has no value: write --threads N."),
            (["serve", "--listen", "--threads", "2"], "--listen has no value: write --listen HOST:PORT."),
        ])
    func notUnderstood(arguments: [String], sentence: String) {
        #expect(CommandLineUnderTest.message(arguments) == sentence)
    }

    @Test("A value may begin with two hyphens or hold an equals sign after =, and -- alone ends the flags")
    func unusualValues() throws {
        let configuration = try CommandLineUnderTest.serve(["--opencode=--odd a=b", "--"])
        #expect(configuration.opencode == ["--odd", "a=b"])
    }

    @Test("A switch has a flag that switches it off")
    func switchedOff() throws {
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
                "--no-directory-pinning takes no value: write --no-directory-pinning alone, or --directory-pinning=on or "
                    + "--directory-pinning=off."
            ), ("--no-threads", "is no flag of serve"), ("--no-threads=off", "is no flag of serve"),
            ("--no-directory-pinnin", "did you mean --no-directory-pinning?"),
        ] {
            #expect(CommandLineUnderTest.message(["serve", flag]).contains(message), "\(flag)")
        }
    }
}
