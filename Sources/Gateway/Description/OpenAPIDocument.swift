// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Settings

/// The API's description for programs (OpenAPI 3.1), generated from ``EndpointTable`` and ``Schema``.
enum OpenAPIDocument {
    /// Returns the document about these endpoints.
    static func json(_ table: EndpointTable) -> JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "VibeRemote gateway", "version": .string(GatewayVersion.number),
                "description": """
                The gateway starts and stops the OpenCode servers of a machine's project folders and forwards requests to \
                them. Every error of the gateway itself is `{"detail": "…"}`; its `X-Request-Id` is also in the log line \
                of the request. HEAD is served wherever GET is. CORS preflights need no key.
                """,
                "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            ],
            "servers": [["url": "/"]],
            "paths": paths(table.endpoints),
            "components": [
                "schemas": .object(Schema.allCases.map { (name: $0.rawValue, value: $0.json) }),
                "securitySchemes": [
                    "bearer": ["type": "http", "scheme": "bearer", "description": "A key of the gateway."],
                    "basic": [
                        "type": "http", "scheme": "basic",
                        "description":
                            "The key as the password, with any user name, for programs that support only Basic authentication.",
                    ],
                ],
            ],
        ]
    }

    /// Returns each path once, with the operations of all endpoints that share it.
    private static func paths(_ endpoints: [Endpoint]) -> JSONValue {
        var patterns: [PathPattern] = []
        for endpoint in endpoints where !patterns.contains(endpoint.path) { patterns.append(endpoint.path) }
        return .object(
            patterns.map { pattern in
                let operations = endpoints.filter { $0.path == pattern }.flatMap { endpoint in
                    endpoint.describedMethods.map { method in
                        (name: method.name?.lowercased() ?? "", value: operation(method, of: endpoint))
                    }
                }
                let parameters = parameters(of: pattern)
                return (
                    name: pattern.template,
                    value: .object(
                        (parameters.isEmpty ? [] : [(name: "parameters", value: .array(parameters))]) + operations)
                )
            })
    }

    private static func parameters(of pattern: PathPattern) -> [JSONValue] {
        var parameters = pattern.names.map { name -> JSONValue in
            [
                "name": .string(name), "in": "path", "required": true, "schema": ["type": "string", "minLength": 1],
                "description": name == "name"
                    ? "The project folder's name as one percent-encoded path segment."
                    : "One percent-encoded path segment.",
            ]
        }
        if pattern.hasRemainder {
            parameters.append([
                "name": "path", "in": "path", "required": true, "schema": ["type": "string"],
                "description":
                    "The rest of the path, including slashes. It may be empty. It is forwarded unchanged, with the query.",
            ])
        }
        return parameters
    }

    private static func operation(_ method: Method, of endpoint: Endpoint) -> JSONValue {
        let outcomes = endpoint.outcomes.map { outcome in
            (name: outcome.status.map { "\($0)" } ?? "default", value: json(outcome))
        }
        let operation: JSONValue = [
            "operationId": .string(endpoint.operationID(method)), "summary": .string(endpoint.summary(method)),
            "description": .string(endpoint.description.text),
            "security": endpoint.requirement.isOpen ? [] : [["bearer": []], ["basic": []]],
        ]
        let query = endpoint.description.query.map { parameter -> JSONValue in
            [
                "name": .string(parameter.name), "in": "query", "required": false, "schema": parameter.form,
                "description": .string(parameter.meaning),
            ]
        }
        return operation.with(query.isEmpty ? [:] : ["parameters": .array(query)]).with(
            endpoint.body == .ignored ? [:] : ["requestBody": anyJSON]
        ).with(["responses": .object(outcomes)])
    }

    private static let anyJSON: JSONValue = ["required": true, "content": ["application/json": [:]]]

    private static func json(_ outcome: Endpoint.DescribedAnswer) -> JSONValue {
        let description: JSONValue = ["description": .string(outcome.meaning)]
        let fields = outcome.fields.map { field in
            (name: field.key, value: ["description": .string(field.value), "schema": ["type": "string"]] as JSONValue)
        }
        let answer = description.with(fields.isEmpty ? [:] : ["headers": .object(fields)])
        guard let content = content(outcome.content) else { return answer }
        return answer.with(["content": content])
    }

    private static func content(_ content: Endpoint.Content) -> JSONValue? {
        switch content {
        case .nothing: nil
        case .json(let schema): ["application/json": ["schema": schema.reference]]
        case .page: ["text/html": ["schema": ["type": "string"]]]
        case .eventStream: ["text/event-stream": ["schema": ["type": "string"]]]
        case .eventStreamOrPage(let page):
            ["text/event-stream": ["schema": ["type": "string"]], "application/json": ["schema": page.reference]]
        case .anything: ["*/*": [:]]
        }
    }
}
