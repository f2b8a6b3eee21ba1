// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

extension Simulator2 {
    /// The routes that belong to no directory.
    static let serverRoutes: [Route] = [
        Route("GET", "/api/info") { simulator, _ in .answer(.json(simulator.info(pid: Int(getpid())))) },
        Route("GET", "/openapi.json") { _, _ in .answer(.json(document)) },
        Route("GET", "/api/event") { simulator, _ in .events(simulator.bus.feed(interval: simulator.heartbeat)) },
    ]

    /// Returns the server's information about itself, for `/api/info`.
    func info(pid: Int?) -> JSON {
        let info: JSON = ["version": .string(profile.version)]
        return info.adding(pid.map { [("pid", .integer($0))] } ?? []).adding([
            ("urls", [.string(address.withLock { $0 })]), ("paths", ["tmp": "/tmp/opencode"]),
        ])
    }

    /// Returns the directory of a request, and opens the directory.
    ///
    /// The directory in the query parameter takes precedence over the directory in the header field. An empty value
    /// counts as absent. A request that names no directory uses the server's own directory. Throws an error if the
    /// directory does not exist and is not open.
    func location(of call: Call) throws(RequestError) -> String {
        let directory = named(by: call) ?? directory
        guard locations.isOpen(directory) || (try? FileTree.names(in: directory)) != nil else {
            throw RequestError(.blank(500, "Internal Server Error"))
        }
        locations.open(directory)
        return directory
    }

    /// Returns the directory that a request names; nil if the request names no directory.
    func named(by call: Call) -> String? {
        let field = call.request.fields.first("x-opencode-directory").map { Request.decode($0[...]) }
        return [call.query("location[directory]"), field].compactMap { $0 }.first { !$0.isEmpty }
    }

    /// The simulator's API document, which contains OpenCode's operations without their parameters and responses.
    private static var document: JSON {
        var paths: [(path: String, operations: [(String, JSON)])] = []
        for operation in documented {
            let parts = operation.split(separator: " ").map(String.init)
            let entry = (parts[0].lowercased(), ["responses": [:]] as JSON)
            if let index = paths.firstIndex(where: { $0.path == parts[1] }) {
                paths[index].operations.append(entry)
            } else {
                paths.append((parts[1], [entry]))
            }
        }
        return [
            "openapi": "3.1.0", "info": ["title": "opencode HttpApi", "version": "0.0.1"],
            "paths": JSON.object([]).adding(paths.map { ($0.path, JSON.object([]).adding($0.operations)) }),
            "components": [:], "security": [], "tags": [],
        ]
    }
}
