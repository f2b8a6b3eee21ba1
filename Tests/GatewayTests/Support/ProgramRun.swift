// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A run of the program that ends by itself.
struct ProgramRun {
    let status: TestProcess.ExitStatus
    let output: [String]
    let error: [String]
    let pid: Int32

    /// Runs the program to its end, without the developer's configuration file.
    init(
        _ arguments: [String], _ environment: [String: String] = [:], directory: String? = nil,
        within limit: Duration = .seconds(40)
    ) throws {
        let process = try TestProcess(
            try BuiltProducts.path("viberemote-gateway"), arguments,
            environment: ["VIBE_CONFIG": "none"].merging(environment) { $1 }, directory: directory)
        status = try process.waitForExit(within: limit)
        output = process.lines(of: .output)
        error = process.lines(of: .error)
        pid = process.pid
    }
}
