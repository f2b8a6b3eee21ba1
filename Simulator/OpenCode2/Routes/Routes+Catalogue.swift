// SPDX-License-Identifier: Apache-2.0

extension Simulator2 {
    /// The routes for the agents, models, commands and other data of a directory.
    static let catalogueRoutes: [Route] = [
        Route("GET", "/api/agent") { try $0.list($1, \.agents) },
        Route("GET", "/api/model") { try $0.list($1, \.models) },
        Route("GET", "/api/model/default") { simulator, call in
            try simulator.answer(call) { simulator.catalogue(of: $0).defaultModel }
        },
        Route("GET", "/api/provider") { try $0.list($1, \.providers) },
        Route("GET", "/api/config") { simulator, call in
            let directory = try simulator.location(of: call)
            return .answer(.json(.array(simulator.catalogue(of: directory).configuration.documents)))
        },
        Route("GET", "/api/command") { try $0.list($1, \.commands) },
        Route("GET", "/api/skill") { try $0.list($1, \.skills) },
        Route("GET", "/api/plugin") { try $0.list($1, \.plugins) },
        Route("GET", "/api/mcp") { simulator, call in try simulator.answer(call) { _ in [] } },
        Route("GET", "/api/mcp/resource", basis: .documented) { simulator, call in
            try simulator.answer(call) { _ in ["resources": [], "templates": []] }
        },
        Route("GET", "/api/reference") { simulator, call in try simulator.answer(call) { _ in [] } },
        Route("GET", "/api/integration", basis: .documented) { simulator, call in try simulator.answer(call) { _ in [] }
        },
        // The list of running shell commands is empty, because the simulator's commands end before a client can request
        // the list.
        Route("GET", "/api/shell") { simulator, call in try simulator.answer(call) { _ in [] } },
    ]

    /// Responds with the directory of a call, and with data about this directory.
    func answer(_ call: Call, _ data: (_ directory: String) throws -> JSON) throws -> RequestOutcome {
        let directory = try location(of: call)
        return .answer(.json(["location": ["directory": .string(directory)], "data": try data(directory)]))
    }

    /// Returns a directory's current catalogue.
    func catalogue(of directory: String) -> Catalogue2 {
        Catalogue2(
            isLoaded: locations.isLoaded(directory),
            configuration: Configuration2(home: home, directory: directory))
    }

    private func list(_ call: Call, _ list: KeyPath<Catalogue2, [JSON]>) throws -> RequestOutcome {
        try answer(call) { .array(catalogue(of: $0)[keyPath: list]) }
    }
}
