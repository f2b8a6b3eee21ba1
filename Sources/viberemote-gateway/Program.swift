import Glibc
import Settings

/// The program: understands its command line, then serves or prints.
@main
struct Program {
    static func main() {
        let defaults = SystemDefaults(home: Environment.homeFolder, processors: Environment.processorCount)
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch Command.parse(arguments: arguments, environment: Environment.variables, defaults: defaults) {
        case .help(let text): print(text)
        case .version: print(GatewayVersion.line)
        case .usageError(let text):
            StandardStreams.writeError(text)
            exit(Command.usageExitCode)
        case .serve(let configuration): exit(Serve.run(configuration))
        }
    }
}
