// SPDX-License-Identifier: Apache-2.0

import Access
import Encodings
import EventLoop
package import GatewayCore
import HTTPServer
import HTTPTypes
import JSONText
import OpenCodeFamilies

/// The endpoint that issues tickets (``Tickets``).
package enum TicketEndpoint {
    /// The largest size of a request's body in bytes.
    private static let longestBody = 16 << 10
    /// The largest size of a path in bytes, which bounds the memory of unused tickets.
    private static let longestPath = 4096

    /// The endpoint.
    package static let endpoint: Endpoint = {
        Endpoint(
            .post, "/-/tickets", requires: .key(.read), body: .json(limit: longestBody),
            description: .init(
                id: "createTicket", summary: "Create a ticket for a stream or a WebSocket",
                "A browser can set no Authorization field for an EventSource or a WebSocket. It can instead append "
                    + "`ticket=…` to the query. A ticket is valid for 30 seconds, for one request, and for exactly this path. The "
                    + "request needs the same scope as with the key itself. A ticket for `/chat` opens only `project`, if the body names one.",
                body: Schema(
                    "NewTicket",
                    Schema.object(
                        [
                            "path": [
                                "type": "string", "pattern": "^/", "maxLength": 1000,
                                "description": "The path and the query of the request, without the ticket.",
                            ],
                            "project":
                                (["type": "string", "description": "The only project that the request may open."]
                                as JSON).orNull,
                        ], required: ["path"])),
                .json(
                    201,
                    schema: Schema(
                        "Ticket",
                        Schema.object([
                            "ticket": ["type": "string", "description": "The ticket, which begins with `vt_`."],
                            "expires": [
                                "type": "string", "format": "date-time",
                                "description": "The time at which the ticket expires.",
                            ],
                        ])), "The ticket."),
                .error(400, "The body contains no path."), .error(404, "The key cannot open the project."),
                .error(409, "There are too many unused tickets.")),
            handler: .control { request, _ in
                .loop { connection, loop in
                    do throws(GatewayError) {
                        loop.answer(connection, try answer(to: request, loop))
                    } catch {
                        loop.refuse(connection, error)
                    }
                }
            })
    }()

    private static func answer(
        to request: ControlRequest, _ loop: GatewayLoop
    ) throws(GatewayError) -> GatewayAnswer {
        let members = try RequestMembers(
            request.body, names: ["path", "project"], nullable: ["project"], example: "{\"path\":\"/events\"}")
        guard let path = members["path"], path.utf8.first == UInt8(ascii: "/"),
            path.utf8.count <= longestPath
        else {
            throw GatewayError(
                400,
                "The body contains no path of at most \(longestPath) bytes. Send, for example, {\"path\":\"/events\"}.")
        }
        guard var principal = request.principal else { throw .notFound }
        if let project = members["project"] {
            guard let limited = principal.limited(to: project) else { throw ControlAnswers.projectNotFound(project) }
            principal = limited
        }
        guard let ticket = loop.setUp.tickets.issue(to: principal, for: Array(path.utf8), at: loop.loop.now) else {
            throw GatewayError(
                409, "There are too many unused tickets. Try again in 30 s.", fields: ["Retry-After": "30"])
        }
        let end = WallClock.milliseconds + Tickets.lifetime.components.seconds * 1_000
        var head = ResponseHead(status: 201)
        head.fields.append("Content-Type", "application/json")
        head.fields.append("Cache-Control", "no-store")
        let value: JSON = [
            "ticket": .string(String(decoding: ticket, as: UTF8.self)),
            "expires": .string(Timestamp.utc(milliseconds: end)),
        ]
        return GatewayAnswer(head: head, body: value.bytes)
    }
}
