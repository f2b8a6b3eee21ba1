// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A simulator as the gateway's command. Each of its processes appends its id to a list in the projects' folder.
struct ListedSimulator {
    /// The command to pass to ``GatewayUnderTest``.
    let opencode: String

    /// Writes the command into `tools`, which must exist as long as the command is used.
    init(in tools: TemporaryDirectory) throws {
        opencode = try tools.write(
            "#!/bin/sh\necho $$ >>../servers\nexec '\(try BuiltProducts.path("opencode-simulator"))' \"$@\"\n",
            to: "opencode", mode: 0o755)
    }

    /// Returns the ids of all servers started below that gateway's home so far, ended or not.
    static func servers(_ gateway: GatewayUnderTest) throws -> [Int32] {
        try gateway.readFile("servers").split(separator: "\n").compactMap { Int32($0) }
    }
}
