// SPDX-License-Identifier: Apache-2.0

extension Simulator2 {
    /// The routes for a project's worktrees.
    static let worktreeRoutes: [Route] = [
        Route("GET", "/api/worktree") { simulator, call in
            guard let id = call.query("projectID") else { throw RequestError.missing(parameter: "projectID") }
            return .answer(.json(.array(simulator.worktrees.list(try simulator.project(id)))))
        },
        Route("POST", "/api/worktree") { simulator, call in
            let body = try call.object()
            let project = try simulator.project(try body.requiredText("projectID"))
            let folder = try simulator.refusing { () throws(Worktrees2.Failure) in
                try simulator.worktrees.create(
                    project, name: body["name"]?.text, directory: body["directory"]?.text,
                    branch: body["branch"]?.text, from: body["from"]?.text)
            }
            simulator.publishWorktrees(of: project)
            return .answer(.json(["directory": .string(folder)]))
        },
        Route("DELETE", "/api/worktree") { simulator, call in
            let body = try call.object()
            let project = try simulator.project(try body.requiredText("projectID"))
            let folder = try body.requiredText("directory")
            guard case .bool(let force)? = body["force"] else { throw RequestError.missing(key: "force") }
            try simulator.refusing { () throws(Worktrees2.Failure) in
                try simulator.worktrees.remove(project, folder, force: force)
            }
            if simulator.locations.isOpen(folder) {
                // The file watcher of a removed directory reports only git's own file, so publish only one event.
                let head = "\(project.canonical)/.git/worktrees/\(folder.split(separator: "/").last ?? "")/HEAD"
                simulator.bus.publish("filesystem.changed", ["file": .string(head), "event": "change"], in: folder)
            }
            simulator.publishWorktrees(of: project)
            return .done
        },
        Route("POST", "/api/worktree/refresh") { simulator, call in
            let project = try simulator.project(try call.object().requiredText("projectID"))
            if simulator.worktrees.refresh(project) { simulator.publishWorktrees(of: project) }
            return .done
        },
    ]

    /// Returns the project with an id. Only projects whose directories were used are known.
    private func project(_ id: String) throws(RequestError) -> Project2 {
        locations.open(directory)
        if let use = locations.projects.first(where: { $0.project.id == id }) { return use.project }
        throw RequestError(
            .error(
                404, "Not Found", tag: "ProjectNotFoundError",
                members: [("projectID", .string(id)), ("message", .string("Project not found: \(id)"))]))
    }

    private func publishWorktrees(of project: Project2) {
        bus.publish("worktree.updated", ["projectID": .string(project.id)], in: nil)
    }

    /// Runs an operation and converts its failure into a response.
    private func refusing<Result>(
        _ body: () throws(Worktrees2.Failure) -> Result
    ) throws(RequestError) -> Result {
        do throws(Worktrees2.Failure) {
            return try body()
        } catch {
            let data: JSON = [
                "message": .string(error.message), "forceRequired": error.isForceable.map { .bool($0) } ?? .null,
            ]
            throw RequestError(.json(["name": "WorktreeError", "data": data], status: 400, reason: "Bad Request"))
        }
    }
}
