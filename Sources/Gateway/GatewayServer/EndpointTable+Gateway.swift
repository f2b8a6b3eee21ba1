// SPDX-License-Identifier: Apache-2.0

import APIDescription
import Audit
import EventStreaming
package import GatewayCore
import HTTPTypes
import OpenCode1Compatibility
import OpenCodeFamilies
import Projects

extension EndpointTable {
    /// The gateway's own endpoints, in the order of their descriptions. The table also determines which
    /// endpoints are open. The optional endpoints of the other client protocols are defined next to
    /// their handlers (``Endpoint/chat``, ``ConversationService``).
    package static let gateway = EndpointTable([
        Endpoint(
            .get, "/health", requires: .nothing,
            description: .init(
                id: "getHealth", summary: "Check that the gateway is running",
                "For load balancers and health checks. The response does not depend on the projects.",
                .json(200, schema: .health, "The gateway is running.")),
            handler: .fixed(ControlAnswers.health)),
        Endpoint(
            .get, "/openapi.json", requires: .nothing,
            description: .init(
                id: "getDescription", summary: "Get this description", "An OpenAPI 3.1 document in JSON.",
                .json(200, schema: .document, "The OpenAPI document.")),
            handler: .page(StaticPage.description)),
        Endpoint(
            .get, "/docs", requires: .nothing,
            description: .init(
                id: "getDocumentation", summary: "Get this description as a web page",
                "The page has forms that send requests.",
                .init(status: 200, meaning: "The page.", content: .page)),
            handler: .page(StaticPage.documentation)),
        Endpoint(
            .get, "/check/stream", requires: .key(.read),
            description: .init(
                id: "checkStream", summary: "Check that event streams arrive without delay",
                "An event stream of five comments within one second. If they arrive all at once or late, a proxy between "
                    + "the client and the gateway buffers responses. With `?end=abort`, the gateway aborts the stream after two comments.",
                .init(
                    status: 200, meaning: "A stream of five comments, one every 200 ms.",
                    content: .eventStream),
                .error(503, "The gateway is shutting down.")),
            handler: .control { request, _ in CheckStream.response(request.query) }),
        Endpoint(
            .get, "/projects", requires: .key(.read),
            description: .init(
                id: "listProjects", summary: "List all projects",
                "Returns every folder directly under the gateway's home directory, sorted by lower-cased name, except "
                    + "folders whose names begin with a dot.",
                .json(200, schema: .projects, "The projects."), .error(500, "The home directory cannot be read.")),
            handler: .control { request, control in
                ControlAnswers.projects(await control.projects(), for: request.principal)
            }),
        Endpoint(
            .post, "/projects/{name}/start", requires: .key(.write),
            description: .init(
                id: "startProject", summary: "Start a project's OpenCode server",
                "Waits until the server accepts requests. A running server is not restarted. The request's body is ignored.",
                .json(200, schema: .started, "The server accepts requests."), .noProject,
                .error(
                    500, "The server could not be started, or ended at once. `detail` contains its last output."),
                .error(504, "The server is still starting. Poll the project's status.")),
            handler: .project { ControlAnswers.start($0, await $2.start($0, for: $1)) }
        ).audited(as: .start),
        Endpoint(
            .delete, "/projects/{name}/stop", requires: .key(.run),
            description: .init(
                id: "stopProject", summary: "Stop a project's OpenCode server",
                "Waits until no process of the server is left. Also succeeds if the server is not running.",
                .json(200, schema: .stopped, "The server is not running."), .noProject,
                .error(500, "The server could not be stopped.")
            ),
            handler: .project { ControlAnswers.stop($0, await $2.stop($0, for: $1)) }
        ).audited(as: .stop),
        Endpoint(
            .get, "/projects/{name}/status", requires: .key(.read),
            description: .init(
                id: "getProjectStatus", summary: "Get a project and the state of its OpenCode server",
                "The members of `Project`, and details about the server.",
                .json(200, schema: .status, "The project."), .noProject),
            handler: .project { ControlAnswers.status($0, await $1.status($0)) }),
        Endpoint(
            .get, "/projects/{name}/history", requires: .key(.read),
            description: .init(
                id: "getProjectHistory", summary: "List the history of a project's OpenCode server",
                "Returns the last 200 starts, stops and failures with their times and reasons, oldest first. The list includes events from before the gateway's last restart.",
                .json(200, schema: .history, "The events."), .noProject, .error(503, "The history cannot be read.")),
            handler: .project { ControlAnswers.history($0, await $1.history(of: $0)) }),
        Endpoint(
            .get, "/events", requires: .key(.read),
            description: .init(
                id: "followEvents", summary: "Receive the events of all projects",
                """
                The same stream as for one project, but with the events of all projects that the key can access. The ids are \
                the gateway's own. With `form`, a text that the model is still writing is sent with the project's next event and \
                never by a timer, so that ids always increase. The parameter `speak` is not available.
                """,
                .init(status: 200, meaning: "The events.", content: .eventStreamOrPage(.eventPage)),
                .error(400, "The request's head or a parameter is invalid."),
                .error(404, "The event hub is off (--event-hub off)."),
                .error(503, "The gateway is shutting down.")
            ).with(query: Endpoint.Parameter.allEvents),
            handler: .loop { EventEndpoint.all.serve($0, on: $1, loop: $2) }),
        Endpoint(
            .get, "/projects/{name}/events", requires: .key(.read),
            description: .init(
                id: "followProjectEvents", summary: "Receive the events of a project",
                """
                An event stream that stays open while the server stops and starts. `data` is an object with `project`, \
                `directory` and `event`, which is OpenCode's own event. `Last-Event-ID` (or `since`: an id, `now` or a time) resumes \
                the stream. `session`, `types`, `form`, `max_rate` and `speak` select and convert events. With `wait`, the \
                response is one page of JSON instead.
                """,
                .init(status: 200, meaning: "The events.", content: .eventStreamOrPage(.eventPage)),
                .error(400, "The request's head or a parameter is invalid."),
                .error(404, "The project does not exist, or the event hub is off (--event-hub off)."),
                .error(503, "The gateway is shutting down.")
            ).with(query: Endpoint.Parameter.projectEvents),
            handler: .loop { EventEndpoint.project.serve($0, on: $1, loop: $2) }),
        Endpoint(
            .get, "/projects/{name}/events/state", requires: .key(.read),
            description: .init(
                id: "getProjectEventState", summary: "Get the state of a project's events",
                "The number of clients, the range of stored events, and whether the gateway receives the server's events.",
                .json(200, schema: .eventState, "The state of the project's events."), .noProject),
            handler: .loop { EventEndpoint.serveState($0, on: $1, loop: $2) }),
        Endpoint(
            [.get, .head, .post, .put, .delete, .patch, .options], "/projects/{name}/api/{path}",
            requires: .key(.read),
            description: .init(
                id: "forward", summary: "Call OpenCode's API",
                """
                The gateway forwards the request with the path and query that follow `/api`, undecoded, to the project's OpenCode \
                server, and returns its response. Event streams (`text/event-stream`) and WebSockets are forwarded without \
                delay. The server's own credentials replace the key. OpenCode describes its API at `/projects/{name}/api/doc`.
                """,
                .init(status: nil, meaning: "OpenCode's response.", content: .anything),
                .init(status: 204, meaning: "OpenCode's response has no body.", content: .nothing),
                .passedError(403, "The request names a directory outside the project."),
                .passedError(404, "The project does not exist, or OpenCode has no such path."),
                .largeBody(
                    "The body of a request that is translated for an OpenCode 2 instance is larger than "
                        + "\(BridgeExchange.longestBody >> 20) MiB."),
                .passedError(502, "OpenCode's response ended early or is invalid."),
                .passedError(503, "The project's server does not accept requests."),
                .passedError(504, "OpenCode did not respond in time.")),
            handler: .instance),
    ])
}
