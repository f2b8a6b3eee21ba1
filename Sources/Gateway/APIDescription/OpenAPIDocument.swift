// SPDX-License-Identifier: Apache-2.0

import GatewayCore
import HTTPTypes
import JSONText
import Settings

/// The API's description for programs (OpenAPI 3.1), generated from ``EndpointTable``.
enum OpenAPIDocument {
    /// Returns the OpenAPI document that describes these endpoints.
    static func json(_ table: EndpointTable) -> JSON {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "VibeRemote gateway", "version": .string(GatewayVersion.number),
                "description": """
                The gateway starts and stops the OpenCode servers of a machine's project folders and forwards requests to \
                them. The gateway's own errors have the body `{"detail": "…"}`. The `X-Request-Id` of an error is also in \
                the request's log line. Every path that serves GET also serves HEAD. CORS preflights need no key.
                """,
                "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            ],
            "servers": [["url": "/"]],
            "paths": paths(table.endpoints),
            "components": [
                "schemas": .object(JSONObject(schemas(of: table).map { JSONObject.Member($0.name, $0.json) })),
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

    /// Returns the schemas that the descriptions of these endpoints use, each once and in the order of their first use.
    private static func schemas(of table: EndpointTable) -> [Schema] {
        var found: [Schema] = []
        func add(_ schema: Schema) {
            guard !found.contains(where: { $0.name == schema.name }) else { return }
            schema.references.forEach(add)
            found.append(schema)
        }
        for endpoint in table.endpoints {
            endpoint.description.body.map(add)
            for outcome in endpoint.outcomes {
                switch outcome.content {
                case .json(let schema), .eventStreamOrPage(let schema): add(schema)
                case .page, .eventStream, .nothing, .anything: break
                }
            }
        }
        return found
    }

    /// Returns each path once, with the operations of all endpoints that share the path.
    private static func paths(_ endpoints: [Endpoint]) -> JSON {
        var patterns: [PathPattern] = []
        for endpoint in endpoints where !patterns.contains(endpoint.path) { patterns.append(endpoint.path) }
        var paths = JSONObject()
        for pattern in patterns {
            let parameters = parameters(of: pattern)
            var path: JSONObject = ["parameters": parameters.isEmpty ? nil : .array(parameters)]
            for endpoint in endpoints where endpoint.path == pattern {
                for method in endpoint.describedMethods {
                    path.add(method.name?.lowercased() ?? "", operation(method, of: endpoint))
                }
            }
            paths.add(pattern.template, .object(path))
        }
        return .object(paths)
    }

    private static func parameters(of pattern: PathPattern) -> [JSON] {
        var parameters = pattern.names.map { name -> JSON in
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
                    "The remainder of the path, which may contain slashes or be empty. The gateway forwards it unchanged, with the query.",
            ])
        }
        return parameters
    }

    private static func operation(_ method: Method, of endpoint: Endpoint) -> JSON {
        let outcomes = endpoint.outcomes.map { outcome in
            JSONObject.Member(outcome.status.map { "\($0)" } ?? "default", json(outcome))
        }
        let keys: JSON = [["bearer": []], ["basic": []]]
        let query = endpoint.description.query.map { parameter -> JSON in
            [
                "name": .string(parameter.name), "in": "query", "required": false, "schema": parameter.schema,
                "description": .string(parameter.meaning),
            ]
        }
        return [
            "operationId": .string(endpoint.operationID(method)), "summary": .string(endpoint.summary(method)),
            "description": .string(endpoint.description.text),
            "security": endpoint.requirement.isOpen ? [] : keys,
            "parameters": query.isEmpty ? nil : .array(query),
            "requestBody": requestBody(of: endpoint),
            "responses": .object(JSONObject(outcomes)),
        ]
    }

    private static func requestBody(of endpoint: Endpoint) -> JSON? {
        guard endpoint.body != .ignored else { return nil }
        var isRequired = true
        if case .optionalJSON = endpoint.body { isRequired = false }
        let schema: JSON = endpoint.description.body.map { ["schema": $0.reference] } ?? [:]
        var isForm = false
        if case .jsonOrForm = endpoint.body { isForm = true }
        let content: JSON = [
            "application/json": schema, "application/x-www-form-urlencoded": isForm ? schema : nil,
        ]
        return ["required": .bool(isRequired), "content": content]
    }

    private static func json(_ outcome: Endpoint.DescribedAnswer) -> JSON {
        let fields = outcome.fields.map { field in
            JSONObject.Member(field.key, ["description": .string(field.value), "schema": ["type": "string"]])
        }
        return [
            "description": .string(outcome.meaning), "headers": fields.isEmpty ? nil : .object(JSONObject(fields)),
            "content": content(outcome.content),
        ]
    }

    private static func content(_ content: Endpoint.Content) -> JSON? {
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
