import HTTPTypes
import Settings

/// The API's description for programs (OpenAPI 3.1), made from ``Resource`` and ``Schema``.
enum OpenAPIDocument {
    /// The whole document.
    static var json: JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "VibeRemote gateway", "version": .string(GatewayVersion.number),
                "description": """
                Starts and stops the OpenCode servers of a machine's project folders and passes requests on to them. \
                Every error of its own is `{"detail": "…"}`, with an `X-Request-Id` that its log line has, too. HEAD is \
                served wherever GET is. Browsers' preflights (CORS) are answered without a key.
                """,
                "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            ],
            "servers": [["url": "/"]],
            "paths": .object(Resource.allCases.map { (name: $0.template, value: path($0)) }),
            "components": [
                "schemas": .object(Schema.allCases.map { (name: $0.rawValue, value: $0.json) }),
                "securitySchemes": [
                    "bearer": ["type": "http", "scheme": "bearer", "description": "The gateway's key."],
                    "basic": [
                        "type": "http", "scheme": "basic",
                        "description": "The key as the password of any user, for programs that know nothing else.",
                    ],
                ],
            ],
        ]
    }

    private static func path(_ resource: Resource) -> JSONValue {
        let operations = resource.operations.map { operation in
            (name: operation.method.name?.lowercased() ?? "", value: json(operation, of: resource))
        }
        let parameters = parameters(of: resource)
        return .object((parameters.isEmpty ? [] : [(name: "parameters", value: .array(parameters))]) + operations)
    }

    private static func parameters(of resource: Resource) -> [JSONValue] {
        var parameters: [JSONValue] = []
        if resource.template.contains("{name}") {
            parameters.append([
                "name": "name", "in": "path", "required": true, "schema": ["type": "string", "minLength": 1],
                "description": "The project folder's name: one segment, percent-encoded.",
            ])
        }
        if resource.template.contains("{path}") {
            parameters.append([
                "name": "path", "in": "path", "required": true, "schema": ["type": "string"],
                "description":
                    "Everything that follows, slashes included; may be empty. Passed on as it comes, with its query.",
            ])
        }
        return parameters
    }

    private static func json(_ operation: Operation, of resource: Resource) -> JSONValue {
        let outcomes = operation.outcomes.map { outcome in
            (name: outcome.status.map { "\($0)" } ?? "default", value: json(outcome))
        }
        return [
            "operationId": .string(operation.id), "summary": .string(operation.summary),
            "description": .string(operation.description),
            "security": resource.isOpen ? [] : [["bearer": []], ["basic": []]],
            "responses": .object(outcomes),
        ]
    }

    private static func json(_ outcome: Operation.Outcome) -> JSONValue {
        let description: JSONValue = ["description": .string(outcome.meaning)]
        let fields = outcome.fields.map { field in
            (name: field.key, value: ["description": .string(field.value), "schema": ["type": "string"]] as JSONValue)
        }
        let answer = description.with(fields.isEmpty ? [:] : ["headers": .object(fields)])
        guard let content = content(outcome.content) else { return answer }
        return answer.with(["content": content])
    }

    private static func content(_ content: Operation.Content) -> JSONValue? {
        switch content {
        case .nothing: nil
        case .json(let schema): ["application/json": ["schema": schema.reference]]
        case .page: ["text/html": ["schema": ["type": "string"]]]
        case .anything: ["*/*": [:]]
        }
    }
}
