import HTTPTypes

/// What each kind of resource can be asked for. HEAD is served wherever GET is, and not listed by itself but for
/// instances, which see it.
extension Resource {
    /// The operations in the order of their methods.
    var operations: [Operation] {
        switch self {
        case .health:
            [
                read(
                    "getHealth", "Is the gateway up?",
                    "For load balancers and health checks. It says nothing about projects.",
                    .init(status: 200, meaning: "It is.", content: .json(.health)))
            ]
        case .apiDescription:
            [
                read(
                    "getDescription", "This description", "OpenAPI 3.1, as JSON.",
                    .init(status: 200, meaning: "The description.", content: .json(.document)))
            ]
        case .documentation:
            [
                read(
                    "getDocumentation", "The description as a page", "For people, with a form to try things out.",
                    .init(status: 200, meaning: "The page.", content: .page))
            ]
        case .projects:
            [
                read(
                    "listProjects", "All projects",
                    "Every folder directly under the gateway's home folder, sorted by lower-cased name. Names that begin "
                        + "with a dot are left out.",
                    .init(status: 200, meaning: "The projects.", content: .json(.projects)),
                    .error(500, "The home folder can't be read."))
            ]
        case .status:
            [
                read(
                    "getProjectStatus", "One project, and how its OpenCode server is",
                    "The members of `Project` and what the gateway knows besides.",
                    .init(status: 200, meaning: "The project.", content: .json(.status)), .noProject)
            ]
        case .start: [start]
        case .stop: [stop]
        case .instance: Method.allCases.filter(accepts).map(forwarded)
        }
    }

    private func read(_ id: String, _ summary: String, _ description: String, _ outcomes: Operation.Outcome...)
        -> Operation
    {
        Operation(
            method: .get, id: id, summary: summary, description: description, outcomes: complete(outcomes))
    }

    private var start: Operation {
        Operation(
            method: .post, id: "startProject", summary: "Start a project's OpenCode server",
            description:
                "Waits until it takes requests. A server that runs already stays as it is. A body is not looked at.",
            outcomes: complete([
                .init(status: 200, meaning: "It takes requests.", content: .json(.started)), .noProject,
                .error(500, "It could not be started, or ended at once; the sentence has its last lines of output."),
                .error(504, "It is still starting: ask for the project's status."),
            ]))
    }

    private var stop: Operation {
        Operation(
            method: .delete, id: "stopProject", summary: "Stop a project's OpenCode server",
            description: "Waits until nothing of it runs any more. One that does not run is stopped already.",
            outcomes: complete([
                .init(status: 200, meaning: "Nothing of it runs.", content: .json(.stopped)), .noProject,
                .error(500, "It could not be stopped."),
            ]))
    }

    private func forwarded(_ method: Method) -> Operation {
        let name = method.name ?? ""
        return Operation(
            method: method, id: "forward\(name.prefix(1))\(name.dropFirst().lowercased())",
            summary: "OpenCode's own API, \(name)",
            description: """
                Passed on to the project's OpenCode server with everything that follows `/api`, not decoded, and so is \
                its answer. Event streams (`text/event-stream`) and WebSockets are passed on as they come. The key is \
                replaced by the server's own credentials. OpenCode describes its API at `/projects/{name}/api/doc`.
                """,
            outcomes: complete([
                .init(status: nil, meaning: "What OpenCode answers.", content: .anything),
                .init(status: 204, meaning: "OpenCode has nothing more to say.", content: .nothing),
                .passedError(403, "The request names a folder outside the project."),
                .passedError(404, "There is no project of this name, or OpenCode knows no such path."),
                .passedError(502, "OpenCode's answer broke off or can't be trusted."),
                .passedError(503, "The project's server does not take requests."),
                .passedError(504, "OpenCode did not answer in time."),
            ]))
    }

    /// With what every resource of this kind can answer.
    private func complete(_ outcomes: [Operation.Outcome]) -> [Operation.Outcome] {
        let common: [Operation.Outcome] =
            [.malformed, .late, .largeBody, .largeHead] + (isOpen ? [] : [.noKey, .tooManyTries])
        let all = outcomes + (self == .instance ? common.map { .passedError($0.status ?? 0, $0.meaning) } : common)
        return all.sorted { ($0.status ?? 0) < ($1.status ?? 0) }
    }
}
