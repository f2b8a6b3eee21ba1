// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The command line of `opencode serve`, as far as the gateway and tests use it.
struct ServeOptions: Equatable {
    /// The command that the command line requests.
    enum Command: Equatable {
        case serve(ServeOptions)
        /// Prints the version of this profile. If it is nil, the environment's profile counts.
        case version(profile: String?)
        case help
    }

    /// A parse error, as one sentence.
    struct Failure: Error, Equatable {
        let message: String
    }

    /// The port; 0 leaves the choice to the version.
    var port: UInt16 = 0
    /// Whether no port was named. OpenCode 2 then counts up from 4096; for 0 it uses any free port.
    var lacksPort = false
    /// The address to listen on.
    var address = Loopback.ipv4
    /// The version to simulate; nil leaves the choice to the environment.
    var profile: String?
    /// Whether the log is also written to standard error.
    var printsLogs = false

    /// The ports to try, in this order; 0 means any free port.
    var ports: [UInt16] { ports(.first4096) }

    /// Returns the ports to try, for a version's way to choose.
    func ports(_ choice: Profile.PortChoice) -> [UInt16] {
        switch choice {
        case _ where port != 0: [port]
        case .first4096: [4096, 0]
        case .counting: lacksPort ? Array(4096...UInt16.max) : [0]
        }
    }

    static var help: String {
        """
        opencode-simulator: a stand-in for an OpenCode server, for demos and tests

        Usage:
          opencode-simulator serve [--port N] [--hostname ADDRESS] [--cors ORIGIN] [--print-logs] [--log-level LEVEL]
          opencode-simulator --version
          opencode-simulator --help

        --profile VERSION, before the command or behind it, says which version it plays. ADDRESS is 127.0.0.1, or for
        OpenCode 2 also ::1.

        Environment:
          OPENCODE_SERVER_PASSWORD, OPENCODE_SERVER_USERNAME  let in only this user (default: opencode)
          OPENCODE_PASSWORD     the same for OpenCode 2, whose user is always opencode; it makes a password of its own
                                where none is set
          SIMULATOR_PROFILE          the version to play: \(Edition.all.map(\.version).joined(separator: ", ")) \
        (default: \(Profile.newest.version))
          SIMULATOR_HEARTBEAT_MS     the time between two heartbeats, instead of the version's own
          SIMULATOR_QUIET_MS         the time after which OpenCode 2 tells again that a project is used, instead of 60000
          SIMULATOR_PACE             the time that turns take, in percent of the recorded one; 0 is at once (default: 100)
          SIMULATOR_STATE            a folder in which OpenCode 2's sessions are kept: servers share them, a restart finds them
          SIMULATOR_ENDS_WITH_PARENT=1  end when the process that started it has ended, however that ends
          SIMULATOR_MISBEHAVE        what to do wrong: the words below, with commas between them

        A prompt's first word or the model's name says how it is answered:
          \(Scenario.allCases.map(\.rawValue).joined(separator: ", "))
        A bracket says more: "Hello [think pieces=200 interval=20ms silent=75s bytes=1500000 pace=0]"

        Misbehaviour. The file \(Startup.wordsFile) in the working folder is read for words too; `once` in it removes it
        then. POST /simulator/misbehave with words in its body changes it while the server runs; no words end it. Answers are
        broken where the path begins with PATH; without one everywhere but in the health question.
        \(Misbehaviour.words.map(\.helpLine).joined(separator: "\n"))

        """
    }

    /// Parses the arguments without the program's name.
    static func parse(_ arguments: [String]) throws(Failure) -> Command {
        var options = ServeOptions()
        // Both `--port 0` and `--port=0` are valid.
        var rest = arguments.flatMap { argument -> [String] in
            guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else { return [argument] }
            return [String(argument[..<equals]), String(argument[argument.index(after: equals)...])]
        }[...]
        // A program that starts servers may append words to a command, so this option may precede the command word.
        while rest.first == "--profile", rest.count > 1 {
            options.profile = rest.dropFirst().first
            rest = rest.dropFirst(2)
        }
        switch rest.popFirst() {
        case "--version", "-v": return .version(profile: options.profile)
        case "--help", "-h": return .help
        case "serve": break
        default: throw Failure(message: "the command is missing: opencode-simulator serve; see --help")
        }
        options.lacksPort = !rest.contains("--port")
        while let option = rest.popFirst() {
            if option == "--print-logs" {
                options.printsLogs = true
                continue
            }
            guard ["--port", "--hostname", "--cors", "--log-level", "--profile"].contains(option),
                let value = rest.popFirst()
            else {
                throw Failure(message: "\(option) is unknown or lacks its value; see --help")
            }
            if option == "--port" {
                guard let port = UInt16(value) else {
                    throw Failure(message: "--port \(value) is no port: give a number from 0 to 65535")
                }
                options.port = port
            }
            if option == "--profile" { options.profile = value }
            if option == "--hostname" {
                switch value {
                case "127.0.0.1", "localhost": options.address = .ipv4
                case "::1": options.address = .ipv6
                default: throw Failure(message: "--hostname \(value): the simulator listens on 127.0.0.1 only")
                }
            }
        }
        return .serve(options)
    }
}
