import Glibc
import TestKit

extension Twin2 {
    /// What belongs to no directory.
    static let serverRoutes: [Route] = [
        Route("GET", "/api/info") { twin, _ in .answer(.json(twin.info(pid: Int(getpid())))) },
        Route("GET", "/api/event") { twin, _ in .events(twin.bus.feed(interval: twin.heartbeat)) },
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
        let field = call.request.fields.first("x-opencode-directory").map { Request.decode($0[...]) }
        let named = [call.query("location[directory]"), field].compactMap { $0 }.first { !$0.isEmpty }
        let directory = named ?? directory
        guard locations.isOpen(directory) || (try? FileTree.names(in: directory)) != nil else {
            throw Refusal(.blank(500, "Internal Server Error"))
        }
        locations.open(directory)
        return directory
    }
}
