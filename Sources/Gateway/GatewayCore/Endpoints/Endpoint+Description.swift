// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import JSONText
import OpenCodeFamilies

extension Endpoint {
    /// The description of an endpoint in `/openapi.json` and `/docs`.
    package struct Description: Sendable {
        /// The operation id for client code that is generated from the description. If the endpoint has several
        /// methods, each method's name is appended to the id.
        let id: String
        /// The summary in one line.
        package let summary: String
        /// The description's text for people, in Markdown.
        package let text: String
        /// The parameters that the endpoint's query accepts.
        package var query: [Parameter] = []
        /// The schema of the request's body; nil if the description does not state one.
        package var body: Schema?
        /// Whether the endpoint's errors have a special form (``ErrorRenderer``).
        package var rendersErrors = false
        /// The responses of this endpoint, in addition to the responses that every endpoint can return.
        let outcomes: [DescribedAnswer]

        /// Creates a description without query parameters.
        package init(
            id: String, summary: String, _ text: String, body: Schema? = nil, _ outcomes: DescribedAnswer...
        ) {
            self.id = id
            self.summary = summary
            self.text = text
            self.body = body
            self.outcomes = outcomes
        }

        /// Returns a copy of the description with these query parameters.
        package func with(query: [Parameter]) -> Self {
            var described = self
            described.query = query
            return described
        }
    }

    /// A query parameter. All query parameters are optional.
    package struct Parameter: Sendable {
        /// The name of the parameter in the query.
        package let name: String
        /// The effect of the parameter, and the behavior without the parameter.
        package let meaning: String
        /// The schema of the parameter's value (JSON Schema).
        package let schema: JSON

        /// Creates a parameter from its parts.
        package init(name: String, meaning: String, schema: JSON) {
            self.name = name
            self.meaning = meaning
            self.schema = schema
        }
    }

    /// A kind of response, by status.
    package struct DescribedAnswer: Sendable {
        /// The status; nil for all other statuses.
        package let status: Int?
        /// The condition under which the response is sent.
        package let meaning: String
        /// The kind of the response's body.
        package let content: Content
        /// The header fields of the response that are relevant for a client, with their meaning.
        package var fields: KeyValuePairs<String, String> = [:]

        /// Creates a response from its parts.
        package init(status: Int?, meaning: String, content: Content, fields: KeyValuePairs<String, String> = [:]) {
            self.status = status
            self.meaning = meaning
            self.content = content
            self.fields = fields
        }
    }

    /// The kind of a response's body.
    package enum Content: Sendable {
        /// The body is JSON that follows the schema.
        case json(Schema)
        /// The body is an HTML page for people.
        case page
        /// The body is an event stream (WHATWG HTML §9.2).
        case eventStream
        /// The body is an event stream, or JSON that follows the schema if the query requests a page.
        case eventStreamOrPage(Schema)
        case nothing
        /// A body of any type. The sender is OpenCode, the HTTP library or, for an error, the gateway.
        case anything
    }

    /// The methods in the description. The list omits HEAD, because GET implies HEAD. The description of an instance's
    /// endpoint contains HEAD, because the gateway forwards HEAD requests to the instance.
    package var describedMethods: [Method] {
        (handler.isInstance ? methods : methods.subtracting(methods.contains(.get) ? .head : [])).methods
    }

    /// Returns the operation id of one method.
    package func operationID(_ method: Method) -> String {
        guard describedMethods.count > 1, let name = method.name else { return description.id }
        return description.id + name.prefix(1) + name.dropFirst().lowercased()
    }

    /// Returns a one-line summary of one method.
    package func summary(_ method: Method) -> String {
        describedMethods.count > 1 ? "\(description.summary), \(method.name ?? "")" : description.summary
    }

    /// All responses of the endpoint, in the order of their statuses.
    package var outcomes: [DescribedAnswer] {
        var common: [DescribedAnswer] = [.malformed, .late, .largeHead]
        switch body {
        case .ignored: common.append(.largeBody())
        case .json(let limit), .jsonOrForm(let limit), .optionalJSON(let limit):
            common += [.largeBody("The body is larger than \(limit) bytes."), .notJSON]
        }
        if let scope = requirement.scope {
            common += [.noKey, .tooManyTries]
            // Every key has the scope `read`.
            if scope > .read { common.append(.missingScope(scope)) }
        }
        // OpenCode or another protocol may define the format of these errors, so describe a body of any type.
        if handler.isInstance || description.rendersErrors {
            common = common.map { .passedError($0.status ?? 0, $0.meaning) }
        }
        // The endpoint's own description of a status replaces the common description.
        common.removeAll { outcome in description.outcomes.contains { $0.status == outcome.status } }
        return (description.outcomes + common).sorted { ($0.status ?? 0) < ($1.status ?? 0) }
    }
}

extension Endpoint.DescribedAnswer {
    /// Returns an error in the gateway's own format.
    package static func error(_ status: Int, _ meaning: String) -> Self {
        Self(status: status, meaning: meaning, content: .json(.error))
    }

    /// Returns an error that comes from the gateway or from OpenCode.
    package static func passedError(_ status: Int, _ meaning: String) -> Self {
        Self(status: status, meaning: meaning, content: .anything)
    }

    /// Returns a response in JSON that follows the schema.
    package static func json(_ status: Int, schema: Schema, _ meaning: String) -> Self {
        Self(status: status, meaning: meaning, content: .json(schema))
    }

    /// The response to a request whose head is ambiguous or violates the grammar.
    static let malformed = error(400, "The request's head is malformed. The connection is closed.")
    /// The response for an unknown project.
    package static let noProject = error(404, "The project does not exist.")
    /// The response to a request whose key is missing or wrong.
    static let noKey = Self(
        status: 401, meaning: "The Authorization field is missing, or its key is wrong.", content: .json(.error),
        fields: ["WWW-Authenticate": "The required scheme: `Bearer`."])
    /// Returns the response to a request whose key does not have the required scope.
    static func missingScope(_ scope: Scope) -> Self {
        error(403, "The key does not have the scope `\(scope)`.")
    }
    /// The response to a client whose address has sent too many wrong keys.
    static let tooManyTries = Self(
        status: 429, meaning: "Too many wrong keys came from the client's address.", content: .json(.error),
        fields: ["Retry-After": "Number of seconds until the gateway checks a key from this address again."])
    /// The response to a request whose head or body was not complete in time.
    static let late = error(408, "The request did not arrive in time. The connection is closed.")
    /// Returns the refusal of a body that is too large. `limit` describes the endpoint's limit; nil if the endpoint has
    /// no limit. The HTTP library itself rejects sizes beyond 64 bits for every endpoint.
    package static func largeBody(_ limit: String? = nil) -> Self {
        let impossible =
            "The Content-Length is 2^63 or more, or the size of a chunk is beyond 64 bits. The connection is closed."
        return passedError(413, limit.map { "\($0) Or: \(impossible)" } ?? impossible)
    }
    /// The response to a request whose body has a type that the endpoint does not accept.
    static let notJSON = error(415, "The body is not JSON.")
    static let largeHead = error(431, "The request's line and header fields are too large.")
}
