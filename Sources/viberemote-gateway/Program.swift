import Glibc
import Settings

/// The program: understands its command line, then serves or prints.
@main
struct Program {
    static func main() {
        let defaults = SystemDefaults(home: Environment.homeFolder, processors: Environment.processorCount)
        let arguments = Array(CommandLine.arguments.dropFirst())
        let command = Command.parse(
            arguments: arguments, environment: Environment.variables, defaults: defaults, files: .system)
        switch command {
        case .print(let text): StandardStreams.writeLine(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        case .usageError(let text):
            StandardStreams.writeError(text)
            exit(Command.usageExitCode)
        case .serve(let configuration, let sources): exit(Serve.run(configuration, sources))
        }
    }
}
