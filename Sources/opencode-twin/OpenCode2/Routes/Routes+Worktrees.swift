extension Twin2 {
    /// Worktrees of a project.
    static let worktreeRoutes: [Route] = [
        Route("GET", "/api/worktree") { twin, call in
            guard let id = call.query("projectID") else { throw Refusal.missing(parameter: "projectID") }
            return .answer(.json(.array(twin.worktrees.list(try twin.project(id)))))
        },
        Route("POST", "/api/worktree") { twin, call in
            let body = try call.object()
            let project = try twin.project(try body.requiredText("projectID"))
            let folder = try twin.refusing { () throws(Worktrees2.Failure) in
                try twin.worktrees.create(
                    project, name: body["name"]?.text, directory: body["directory"]?.text,
                    branch: body["branch"]?.text, from: body["from"]?.text)
            }
            twin.tellWorktrees(of: project)
            return .answer(.json(["directory": .string(folder)]))
        },
        Route("DELETE", "/api/worktree") { twin, call in
            let body = try call.object()
            let project = try twin.project(try body.requiredText("projectID"))
            let folder = try body.requiredText("directory")
            guard case .bool(let force)? = body["force"] else { throw Refusal.missing(key: "force") }
            try twin.refusing { () throws(Worktrees2.Failure) in
                try twin.worktrees.remove(project, folder, force: force)
            }
            if twin.locations.isOpen(folder) {
                // Of what was removed its watcher tells no more than git's own file.
                let head = "\(project.canonical)/.git/worktrees/\(folder.split(separator: "/").last ?? "")/HEAD"
                twin.bus.publish("filesystem.changed", ["file": .string(head), "event": "change"], in: folder)
            }
            twin.tellWorktrees(of: project)
            return .done
        },
        Route("POST", "/api/worktree/refresh") { twin, call in
            let project = try twin.project(try call.object().requiredText("projectID"))
            if twin.worktrees.refresh(project) { twin.tellWorktrees(of: project) }
            return .done
        },
    ]

    /// The project of an id. Only those are known whose directories were used.
    private func project(_ id: String) throws(Refusal) -> Project2 {
        locations.open(directory)
        if let use = locations.projects.first(where: { $0.project.id == id }) { return use.project }
        throw Refusal(
            .error(
                404, "Not Found", "ProjectNotFoundError",
                [("projectID", .string(id)), ("message", .string("Project not found: \(id)"))]))
    }

    private func tellWorktrees(of project: Project2) {
        bus.publish("worktree.updated", ["projectID": .string(project.id)], in: nil)
    }

    /// Does something whose failure is the answer.
    private func refusing<Result>(
        _ body: () throws(Worktrees2.Failure) -> Result
    ) throws(Refusal) -> Result {
        do throws(Worktrees2.Failure) {
            return try body()
        } catch {
            let data: JSON = [
                "message": .string(error.message), "forceRequired": error.isForceable.map { .bool($0) } ?? .null,
            ]
            throw Refusal(.json(["name": "WorktreeError", "data": data], status: 400, reason: "Bad Request"))
        }
    }
}
