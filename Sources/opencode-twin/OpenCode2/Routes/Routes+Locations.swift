extension Twin2 {
    /// Directories, what git says of them, and projects.
    static let locationRoutes: [Route] = [
        Route("GET", "/api/location") { twin, call in
            let directory = try twin.location(of: call)
            let project = twin.locations.project(of: directory)
            return .answer(.json(["directory": .string(directory), "project": project.json]))
        },
        Route("POST", "/api/location/reload") { twin, _ in
            twin.locations.reload()
            return .done
        },
        Route("GET", "/api/debug/location") { twin, _ in
            .answer(.json(.array(twin.locations.directories.map { ["directory": .string($0)] })))
        },
        Route("DELETE", "/api/debug/location") { twin, call in
            twin.locations.close(twin.named(by: call) ?? twin.directory)
            return .done
        },
        Route("GET", "/api/project") { twin, _ in .answer(.json(.array(twin.locations.projects.map(\.json)))) },
        Route("GET", "/api/vcs") { twin, call in
            try twin.answer(call) { directory in
                // The branch comes with what else is loaded.
                let branch = twin.locations.isLoaded(directory) ? twin.locations.project(of: directory).branch : nil
                return ["branch": branch.map { ["current": .string($0)] } ?? [:]]
            }
        },
        Route("GET", "/api/vcs/status") { twin, call in
            try twin.answer(call) { .array(Git2.changes(in: $0)) }
        },
        Route("GET", "/api/experimental/migration/v1") { twin, _ in
            .answer(.json(twin.misbehaviour.current.migration.json))
        },
    ]
}

extension Misbehaviour.Migration {
    /// As `/api/experimental/migration/v1` tells it. Recorded is only `completed`; the others are the document's.
    var json: JSON {
        switch self {
        case .required, .completed: ["status": .string(rawValue)]
        case .running:
            ["status": "running", "progress": ["label": "Migrating sessions", "numerator": 3, "denominator": 10]]
        case .error: ["status": "error", "error": "The old database cannot be read."]
        }
    }
}
