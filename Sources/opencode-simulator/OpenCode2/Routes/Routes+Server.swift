import Glibc
import TestKit

extension Simulator2 {
    /// What belongs to no directory.
    static let serverRoutes: [Route] = [
        Route("GET", "/api/info") { simulator, _ in .answer(.json(simulator.info(pid: Int(getpid())))) },
        Route("GET", "/openapi.json") { _, _ in .answer(.json(document)) },
        Route("GET", "/api/event") { simulator, _ in .events(simulator.bus.feed(interval: simulator.heartbeat)) },
    ]

    /// What the server tells about itself.
    func info(pid: Int?) -> JSON {
        let info: JSON = ["version": .string(profile.version)]
        return info.adding(pid.map { [("pid", .integer($0))] } ?? []).adding([
            ("urls", [.string(address.withLock { $0 })]), ("paths", ["tmp": "/tmp/opencode"]),
        ])
    }

    /// The directory that a request is about, which is opened by it: the query's, then the field's, then the server's
    /// own. An empty one is none; one that does not exist is refused, unless it was opened before it was removed.
    func location(of call: Call) throws(Refusal) -> String {
        let directory = named(by: call) ?? directory
        guard locations.isOpen(directory) || (try? FileTree.names(in: directory)) != nil else {
            throw Refusal(.blank(500, "Internal Server Error"))
        }
        locations.open(directory)
        return directory
    }

    /// The directory that a request names; nil when it names none.
    func named(by call: Call) -> String? {
        let field = call.request.fields.first("x-opencode-directory").map { Request.decode($0[...]) }
        return [call.query("location[directory]"), field].compactMap { $0 }.first { !$0.isEmpty }
    }

    /// The document of the API, as far as the simulator has one: which operations there are, and nothing of what they take and
    /// answer.
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
