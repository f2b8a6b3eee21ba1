import TestKit

/// A simulator as the gateway's command, each of whose processes adds its number to a list in the projects' folder.
struct ListedSimulator {
    /// The command, for ``GatewayUnderTest``.
    let opencode: String

    /// Writes the command into `tools`, which must live as long as it is used.
    init(in tools: TemporaryDirectory) throws {
        opencode = try tools.write(
            "#!/bin/sh\necho $$ >>../servers\nexec '\(try BuiltProducts.path("opencode-simulator"))' \"$@\"\n",
            to: "opencode", mode: 0o755)
    }

    /// Every server that was started below that gateway's home so far, ended or not.
    static func servers(_ gateway: GatewayUnderTest) throws -> [Int32] {
        try gateway.read("servers").split(separator: "\n").compactMap { Int32($0) }
    }
}
