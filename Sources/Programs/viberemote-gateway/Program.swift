// SPDX-License-Identifier: Apache-2.0

import Glibc
import Settings

/// The program's entry point, which parses the command line and runs the command.
@main
struct Program {
    static func main() {
        StandardStreams.openClosed()
        let defaults = SystemDefaults(
            home: Environment.homeFolder, stateFolder: Environment.stateFolder, processors: Environment.processorCount)
        let arguments = Array(CommandLine.arguments.dropFirst())
        let command = Command.parse(
            arguments: arguments, environment: Environment.variables, defaults: defaults, files: .system)
        switch command {
        case .print(let text): StandardStreams.writeLine(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        case .usageError(let text):
            StandardStreams.writeError(text)
            exit(Command.usageExitCode)
        case .misconfigured(let text):
            StandardStreams.writeError("\(GatewayVersion.program): \(text)")
            exit(Command.misconfiguredExitCode)
        case .check(let resolution): exit(Check.run(resolution))
        case .project(let request, let output, let configuration):
            exit(ProjectCommand.run(request, output: output, configuration: configuration))
        case .key(let request, let isJSON, let configuration):
            exit(KeyCommand.run(request, isJSON: isJSON, configuration: configuration))
        case .pair(let request, let isJSON, let configuration):
            exit(PairCommand.run(request, isJSON: isJSON, configuration: configuration))
        case .audit(let request, let isJSON, let configuration):
            exit(AuditCommand.run(request, isJSON: isJSON, configuration: configuration))
        case .exec(let instance, let configuration): exit(Exec.run(instance: instance, configuration))
        case .serve(let configuration, let sources): exit(Serve.run(configuration, sources))
        }
    }
}
