/// The command line of `opencode serve`, as far as the gateway and tests use it.
struct ServeOptions: Equatable {
    /// What the command line asks for.
    enum Command: Equatable {
        case serve(ServeOptions)
        case version
        case help
    }

    /// What cannot be understood, as one sentence.
    struct Failure: Error, Equatable {
        let message: String
    }

    /// 0 means 4096, and any free one when that is taken.
    var port: UInt16 = 0
    /// The version to play; nil leaves it to the environment.
    var profile: String?
    /// Whether its log goes to standard error too.
    var printsLogs = false

    /// The ports to try, in this order; 0 takes any free one.
    var ports: [UInt16] { port == 0 ? [4096, 0] : [port] }

    static var help: String {
        """
        opencode-twin: a stand-in for an OpenCode server, for demos and tests

        Usage:
          opencode-twin serve [--port N] [--hostname 127.0.0.1] [--cors ORIGIN] [--print-logs] [--log-level LEVEL]
                              [--profile VERSION]
          opencode-twin --version
          opencode-twin --help

        Environment:
          OPENCODE_SERVER_PASSWORD, OPENCODE_SERVER_USERNAME  let in only this user (default: opencode)
          TWIN_PROFILE          the version to play: \(Edition.all.map(\.version).joined(separator: ", ")) \
        (default: \(Profile.newest.version))
          TWIN_HEARTBEAT_MS     the time between two heartbeats, instead of the version's own
          TWIN_PACE             the time that turns take, in percent of the recorded one; 0 is at once (default: 100)
          TWIN_ENDS_WITH_PARENT=1  end when the process that started it has ended, however that ends
          TWIN_MISBEHAVE        what to do wrong: the words below, with commas between them

        A prompt's first word or the model's name says how it is answered:
          \(Scenario.allCases.map(\.rawValue).joined(separator: ", "))
        A bracket says more: "Hello [think pieces=200 interval=20ms silent=75s bytes=1500000 pace=0]"

        Misbehaviour. The file \(Startup.wordsFile) in the working folder is read for words too; `once` in it removes it
        then. POST /twin/misbehave with words in its body changes it while the server runs; no words end it. Answers are
        broken where the path begins with PATH; without one everywhere but in the health question.
        \(Misbehaviour.words.map(\.helpLine).joined(separator: "\n"))

        """
    }

    /// Parses the arguments without the program's name.
    static func parse(_ arguments: [String]) throws(Failure) -> Command {
        switch arguments.first {
        case "--version", "-v": return .version
        case "--help", "-h": return .help
        case "serve": break
        default: throw Failure(message: "the command is missing: opencode-twin serve; see --help")
        }
        var options = ServeOptions()
        // Both `--port 0` and `--port=0` are understood.
        var rest = arguments.dropFirst().flatMap { argument -> [String] in
            guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else { return [argument] }
            return [String(argument[..<equals]), String(argument[argument.index(after: equals)...])]
        }[...]
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
            if option == "--hostname", value != "127.0.0.1", value != "localhost" {
                throw Failure(message: "--hostname \(value): the twin listens on 127.0.0.1 only")
            }
        }
        return .serve(options)
    }
}
