// SPDX-License-Identifier: Apache-2.0

import TestKit

extension LabMachine {
    /// The port of the installed gateway in the tests.
    static let port: UInt16 = 4000

    /// Returns the clients' key of the installed gateway.
    func key() throws -> String {
        let folders = LabScope.allCases.map(\.settings)
        for folder in folders {
            // The file has one key on each line.
            if let key = try? readFile("\(folder)/key").split(separator: "\n").first { return String(key) }
        }
        throw LabFailure("there is no key in \(folders)")
    }

    /// Sends one request with the key on a separate connection, and returns the whole response.
    func request(
        _ method: String = "GET", _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
        port: UInt16 = LabMachine.port, within limit: Duration = .seconds(40)
    ) throws -> TestResponse {
        let connection = try connect(port: port, within: limit)
        defer { connection.close() }
        return try connection.exchange(
            method, target, headers: [("Authorization", "Bearer \(try key())")] + headers, body: body, within: limit)
    }

    /// Creates an empty project in the home directory.
    func makeProject(_ name: String) throws {
        try run("mkdir -p -- \"$HOME/$NAME\"", environment: ["NAME": name])
    }
}
