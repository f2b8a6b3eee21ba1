// SPDX-License-Identifier: Apache-2.0

extension Simulator2 {
    /// The routes for directories, for their git state, and for projects.
    static let locationRoutes: [Route] = [
        Route("GET", "/api/location") { simulator, call in
            let directory = try simulator.location(of: call)
            let project = simulator.locations.project(of: directory)
            return .answer(.json(["directory": .string(directory), "project": project.json]))
        },
        Route("POST", "/api/location/reload") { simulator, _ in
            simulator.locations.reload()
            return .done
        },
        Route("GET", "/api/debug/location") { simulator, _ in
            .answer(.json(.array(simulator.locations.directories.map { ["directory": .string($0)] })))
        },
        Route("DELETE", "/api/debug/location") { simulator, call in
            simulator.locations.close(simulator.named(by: call) ?? simulator.directory)
            return .done
        },
        Route("GET", "/api/project") { simulator, _ in .answer(.json(.array(simulator.locations.projects.map(\.json))))
        },
        Route("GET", "/api/vcs") { simulator, call in
            try simulator.answer(call) { directory in
                // The branch is loaded together with the catalogue.
                let branch =
                    simulator.locations.isLoaded(directory) ? simulator.locations.project(of: directory).branch : nil
                return ["branch": branch.map { ["current": .string($0)] } ?? [:]]
            }
        },
        Route("GET", "/api/vcs/status") { simulator, call in
            try simulator.answer(call) { .array(Git2.changes(in: $0)) }
        },
        Route("GET", "/api/experimental/migration/v1") { simulator, _ in
            .answer(.json(simulator.misbehaviour.current.migration.json))
        },
    ]
}

extension Misbehaviour.Migration {
    /// The state in the format of `/api/experimental/migration/v1`. Only `completed` was recorded. The other states
    /// follow the API document.
    var json: JSON {
        switch self {
        case .required, .completed: ["status": .string(rawValue)]
        case .running:
            ["status": "running", "progress": ["label": "Migrating sessions", "numerator": 3, "denominator": 10]]
        case .error: ["status": "error", "error": "The old database cannot be read."]
        }
    }
}
