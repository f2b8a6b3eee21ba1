// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// A simulated OpenCode server with the output, the responses and the events of a real server, but without a model.
@main
struct OpenCodeSimulator {
    static func main() {
        let environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
        do {
            switch try ServeOptions.parse(Array(CommandLine.arguments.dropFirst())) {
            case .version(let profile):
                Console.write("\(try Startup.version(profile, environment))\n")
            case .help: Console.write(ServeOptions.help)
            case .serve(let options):
                exit(Startup(options: options, environment: environment).run())
            }
        } catch {
            Console.write("opencode-simulator: \(error.message)\n", to: .error)
            exit(1)
        }
    }
}
