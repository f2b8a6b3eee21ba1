// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The command line of `opencode serve`, as far as the gateway and tests use it.
struct ServeOptions: Equatable {
    /// The command that the command line requests.
    enum Command: Equatable {
        case serve(ServeOptions)
        /// Prints the version of this profile. If the profile is nil, the environment selects one.
        case version(profile: String?)
        case help
    }

    /// An error in the command line.
    struct Failure: Error, Equatable {
        let message: String
    }

    /// The port; 0 leaves the choice to the version.
    var port: UInt16 = 0
    /// Whether the command line names no port. In that case, OpenCode 2 tries the ports from 4096 on. For port 0,
    /// OpenCode 2 uses any free port.
    var lacksPort = false
    /// The address to listen on.
    var address = Loopback.ipv4
    /// The version to simulate; nil leaves the choice to the environment.
    var profile: String?
    /// Whether the log is also written to standard error.
    var printsLogs = false

    /// The ports to try, in this order; 0 means any free port.
    var ports: [UInt16] { ports(.first4096) }

    /// Returns the ports that a version with this choice of ports tries, in order.
    func ports(_ choice: Profile.PortChoice) -> [UInt16] {
        switch choice {
        case _ where port != 0: [port]
        case .first4096: [4096, 0]
        case .counting: lacksPort ? Array(4096...UInt16.max) : [0]
        }
    }

    static var help: String {
        """
        opencode-simulator: simulates an OpenCode server, for demos and tests

        Usage:
          opencode-simulator serve [--port N] [--hostname ADDRESS] [--cors ORIGIN] [--print-logs] [--log-level LEVEL]
          opencode-simulator --version
          opencode-simulator --help

        --profile VERSION, before or after the command, selects the version to simulate. ADDRESS is 127.0.0.1; OpenCode 2
        also accepts ::1.

        Environment:
          OPENCODE_SERVER_PASSWORD   the password that clients must send (default: none)
          OPENCODE_SERVER_USERNAME   the user name that clients must send with it (default: opencode)
          OPENCODE_PASSWORD          the password for OpenCode 2, whose user name is always opencode (default: a random one)
          SIMULATOR_PROFILE          the version to simulate: \(Edition.all.map(\.version).joined(separator: ", ")) \
        (default: \(Profile.newest.version))
          SIMULATOR_HEARTBEAT_MS     the interval of heartbeats in milliseconds (default: that of the version)
          SIMULATOR_QUIET_MS         the interval in milliseconds after which OpenCode 2 reports a project in use again
                                     (default: 60000)
          SIMULATOR_PACE             the duration of turns in percent of the recorded duration; 0 means no delay (default: 100)
          SIMULATOR_STATE            the directory of OpenCode 2's sessions, which servers then share (default: none)
          SIMULATOR_ENDS_WITH_PARENT=1  exit when the parent process ends
          SIMULATOR_MISBEHAVE        the misbehaviour: words from the list below, separated by commas

        The first word of a prompt, or the name of the model, selects the kind of answer:
          \(Scenario.allCases.map(\.rawValue).joined(separator: ", "))
        Options of the answer follow in brackets: "Hello [think pieces=200 interval=20ms silent=75s bytes=1500000 pace=0]"

        The following words select the misbehaviour. The file \(Startup.wordsFile) in the working directory may contain
        further words; the simulator deletes a file that contains the word `once` after reading it. While the server
        runs, POST /simulator/misbehave replaces the words with the words in its body; an empty body ends the
        misbehaviour. A word with PATH applies to requests whose path begins with PATH; without PATH, the word applies to
        all requests except health checks.
        \(Misbehaviour.words.map(\.helpLine).joined(separator: "\n"))

        """
    }

    /// Parses the arguments without the program's name.
    static func parse(_ arguments: [String]) throws(Failure) -> Command {
        var options = ServeOptions()
        // Split flags such as `--port=0`, because they are equivalent to `--port 0`.
        var remainder = arguments.flatMap { argument -> [String] in
            guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else { return [argument] }
            return [String(argument[..<equals]), String(argument[argument.index(after: equals)...])]
        }[...]
        // A program that starts servers may append words to its command. Therefore, `--profile` may precede the command
        // word.
        while remainder.first == "--profile", remainder.count > 1 {
            options.profile = remainder.dropFirst().first
            remainder = remainder.dropFirst(2)
        }
        switch remainder.popFirst() {
        case "--version", "-v": return .version(profile: options.profile)
        case "--help", "-h": return .help
        case "serve": break
        default: throw Failure(message: "no command is given: run `opencode-simulator serve`, or see --help")
        }
        options.lacksPort = !remainder.contains("--port")
        while let option = remainder.popFirst() {
            if option == "--print-logs" {
                options.printsLogs = true
                continue
            }
            guard ["--port", "--hostname", "--cors", "--log-level", "--profile"].contains(option),
                let value = remainder.popFirst()
            else {
                throw Failure(message: "\(option) is unknown or lacks its value; see --help")
            }
            if option == "--port" {
                guard let port = UInt16(value) else {
                    throw Failure(message: "--port \(value) is not a port: use a number from 0 to 65535")
                }
                options.port = port
            }
            if option == "--profile" { options.profile = value }
            if option == "--hostname" {
                switch value {
                case "127.0.0.1", "localhost": options.address = .ipv4
                case "::1": options.address = .ipv6
                default:
                    throw Failure(
                        message: "--hostname \(value) is not supported: use 127.0.0.1, or ::1 for OpenCode 2")
                }
            }
        }
        return .serve(options)
    }
}
