import TestKit

extension LabMachine {
    /// The port that tests install the gateway on.
    static let port: UInt16 = 4000

    /// The clients' key of the installed gateway.
    func key() throws -> String {
        try read("/home/vibe/.config/viberemote-gateway/key").trimmingSuffix { $0 == "\n" }
    }

    /// One request with the key on a connection of its own, and its whole answer.
    func request(
        _ method: String = "GET", _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
        port: UInt16 = LabMachine.port, within limit: Duration = .seconds(40)
    ) throws -> TestResponse {
        let connection = try connect(port: port, within: limit)
        defer { connection.close() }
        return try connection.exchange(
            method, target, headers: [("Authorization", "Bearer \(try key())")] + headers, body: body, within: limit)
    }

    /// Makes an empty project.
    func makeProject(_ name: String) throws {
        try run("mkdir -p -- \"$HOME/$NAME\"", environment: ["NAME": name])
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
        var rest = self[...]
        while let last = rest.last, predicate(last) { rest.removeLast() }
        return String(rest)
    }
}
