// SPDX-License-Identifier: Apache-2.0

extension Simulator2 {
    /// The routes for the files of a call's directory.
    static let fileRoutes: [Route] = [
        Route("GET", "/api/fs/list") { simulator, call in
            try simulator.answer(call) { directory in
                guard let list = try? Files2(directory: directory).list(call.query("path") ?? "") else {
                    throw RequestError(.blank(500, "Internal Server Error"))
                }
                return .array(list)
            }
        },
        Route("GET", "/api/fs/find") { simulator, call in
            guard let query = call.query("query") else { throw RequestError.missing(parameter: "query") }
            return try simulator.answer(call) { directory in
                let limit = call.query("limit").flatMap { Int($0) } ?? 100
                return .array(Files2(directory: directory).find(query, kind: call.query("type"), limit: limit))
            }
        },
        Route("GET", "/api/fs/read/*") { simulator, call in
            let directory = try simulator.location(of: call)
            do throws(Files2.Failure) {
                let bytes = try Files2(directory: directory).contents(call["*"])
                let type = ("content-type", Files2.type(of: call["*"]))
                return .answer(SimulatedAnswer(status: 200, reason: "OK", content: .text, body: bytes, first: [type]))
            } catch {
                throw RequestError(error.answer(call["*"]))
            }
        },
    ]
}

extension Files2.Failure {
    /// Returns the response to a rejected read. The response for a missing path follows the document. The response for
    /// a path outside the directory was recorded.
    fileprivate func answer(_ path: String) -> SimulatedAnswer {
        switch self {
        case .outside: .blank(500, "Internal Server Error")
        case .missing:
            .error(
                404, "Not Found", tag: "FileNotFoundError",
                members: [("path", .string(path)), ("message", .string("File not found: \(path)"))])
        }
    }
}
