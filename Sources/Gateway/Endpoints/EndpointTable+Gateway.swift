// SPDX-License-Identifier: Apache-2.0

import Access
import HTTPTypes
import Projects

extension EndpointTable {
    /// The gateway's own endpoints, in the order of their descriptions. This table determines which of them are open.
    /// The endpoints of the other client protocols, which are optional, are defined next to their handlers
    /// (``Endpoint/chat``, ``ConversationService``).
    static let gateway = EndpointTable([
        Endpoint(
            .get, "/health", requires: .nothing,
            description: .init(
                id: "getHealth", summary: "Is the gateway up?",
                "For load balancers and health checks. It says nothing about projects.",
                .json(200, schema: .health, "It is.")),
            handler: .fixed(ControlAnswers.health)),
        Endpoint(
            .get, "/openapi.json", requires: .nothing,
            description: .init(
                id: "getDescription", summary: "This description", "OpenAPI 3.1, as JSON.",
                .json(200, schema: .document, "The description.")),
            handler: .page(StaticPage.description)),
        Endpoint(
            .get, "/docs", requires: .nothing,
            description: .init(
                id: "getDocumentation", summary: "The description as a page",
                "For people, with a form to try things out.",
                .init(status: 200, meaning: "The page.", content: .page)),
            handler: .page(StaticPage.documentation)),
        Endpoint(
            .get, "/check/stream", requires: .key([]),
            description: .init(
                id: "checkStream", summary: "Does a stream arrive as it is sent?",
                "An event stream of five comments within one second. Who gets them all at once, or late, has something on "
                    + "the way that collects answers before it passes them on. With `?end=abort` the stream breaks off after two.",
                .init(status: 200, meaning: "The comments, one every 200 ms, and the end.", content: .eventStream),
                .error(503, "The gateway is ending.")),
            handler: .control { request, _ in CheckStream.response(request.query) }),
        Endpoint(
            .get, "/projects", requires: .key(.readProjects),
            description: .init(
                id: "listProjects", summary: "All projects",
                "Every folder directly under the gateway's home folder, sorted by lower-cased name. Names that begin "
                    + "with a dot are left out.",
                .json(200, schema: .projects, "The projects."), .error(500, "The home folder can't be read.")),
            handler: .control { _, control in .answer(ControlAnswers.projects(await control.projects())) }),
        Endpoint(
            .post, "/projects/{name}/start", requires: .key(.controlInstances),
            description: .init(
                id: "startProject", summary: "Start a project's OpenCode server",
                "Waits until it takes requests. A server that runs already stays as it is. A body is not looked at.",
                .json(200, schema: .started, "It takes requests."), .noProject,
                .error(500, "It could not be started, or ended at once; the sentence has its last lines of output."),
                .error(504, "It is still starting: ask for the project's status.")),
            handler: .project { ControlAnswers.start($0, await $2.start($0, for: $1)) }),
        Endpoint(
            .delete, "/projects/{name}/stop", requires: .key(.controlInstances),
            description: .init(
                id: "stopProject", summary: "Stop a project's OpenCode server",
                "Waits until nothing of it runs any more. One that does not run is stopped already.",
                .json(200, schema: .stopped, "Nothing of it runs."), .noProject, .error(500, "It could not be stopped.")
            ),
            handler: .project { ControlAnswers.stop($0, await $2.stop($0, for: $1)) }),
        Endpoint(
            .get, "/projects/{name}/status", requires: .key(.readProjects),
            description: .init(
                id: "getProjectStatus", summary: "One project, and how its OpenCode server is",
                "The members of `Project` and what the gateway knows besides.",
                .json(200, schema: .status, "The project."), .noProject),
            handler: .project { ControlAnswers.status($0, await $1.status($0)) }),
        Endpoint(
            .get, "/projects/{name}/history", requires: .key(.readProjects),
            description: .init(
                id: "getProjectHistory", summary: "What happened to a project's OpenCode server",
                "When and why, the oldest first: the last 200 events, also those of gateways before this one.",
                .json(200, schema: .history, "The events."), .noProject, .error(503, "The history can't be read.")),
            handler: .project { ControlAnswers.history($0, await $1.history(of: $0)) }),
        Endpoint(
            .get, "/events", requires: .key(.useInstances),
            description: .init(
                id: "followEvents", summary: "What all projects' OpenCode servers say",
                """
                As a project's events, of all projects that the key may see, with ids of the gateway's own. A form's frames come with \
                the project's events, never by the clock alone, so that ids rise; there is no `speak`.
                """,
                .init(status: 200, meaning: "The events.", content: .eventStreamOrPage(.eventPage)),
                .error(400, "The request's head or a parameter can't be understood."),
                .error(404, "The gateway does not listen (--event-hub off)."),
                .error(503, "The gateway is ending.")
            ).with(query: Endpoint.Parameter.allEvents),
            handler: .events(.all)),
        Endpoint(
            .get, "/projects/{name}/events", requires: .key(.useInstances),
            description: .init(
                id: "followProjectEvents", summary: "What a project's OpenCode server says",
                """
                An event stream that stays open while the server stops and starts. `data` is an object with `project`, \
                `directory` and `event`, which is OpenCode's own. `Last-Event-ID` (or `since`: an id, `now`, a time) resumes. \
                `session`, `types`, `form`, `max_rate` and `speak` choose. With `wait` it is one page of JSON instead.
                """,
                .init(status: 200, meaning: "The events.", content: .eventStreamOrPage(.eventPage)),
                .error(400, "The request's head or a parameter can't be understood."),
                .error(404, "There is no project of this name, or the gateway does not listen (--event-hub off)."),
                .error(503, "The gateway is ending.")
            ).with(query: Endpoint.Parameter.projectEvents),
            handler: .events(.project)),
        Endpoint(
            .get, "/projects/{name}/events/state", requires: .key(.readProjects),
            description: .init(
                id: "getProjectEventState", summary: "The state of a project's events",
                "The number of clients, the events that are kept, and whether the gateway receives the server's events.",
                .json(200, schema: .eventState, "The state."), .noProject),
            handler: .project { name, control in
                guard let report = await control.events(of: name) else { return EventEndpoint.off }
                if let view = report.view { return EventEndpoint.state(view) }
                guard await control.status(name) != nil else { return ControlAnswers.projectNotFound(name.string) }
                return EventEndpoint.nothingYet
            }),
        Endpoint(
            [.get, .head, .post, .put, .delete, .patch, .options], "/projects/{name}/api/{path}",
            requires: .key(.useInstances),
            description: .init(
                id: "forward", summary: "OpenCode's own API",
                """
                Passed on to the project's OpenCode server with everything that follows `/api`, not decoded, and so is \
                its answer. Event streams (`text/event-stream`) and WebSockets are passed on as they come. The key is \
                replaced by the server's own credentials. OpenCode describes its API at `/projects/{name}/api/doc`.
                """,
                .init(status: nil, meaning: "What OpenCode answers.", content: .anything),
                .init(status: 204, meaning: "OpenCode has nothing more to say.", content: .nothing),
                .passedError(403, "The request names a folder outside the project."),
                .passedError(404, "There is no project of this name, or OpenCode knows no such path."),
                .largeBody(
                    "The body of a request that is translated for an OpenCode 2 is larger than "
                        + "\(BridgeExchange.longestBody >> 20) MiB."),
                .passedError(502, "OpenCode's answer broke off or can't be trusted."),
                .passedError(503, "The project's server does not take requests."),
                .passedError(504, "OpenCode did not answer in time.")),
            handler: .instance),
    ])
}
