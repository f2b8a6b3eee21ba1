// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import JSONText

/// An error of the gateway itself: a status and a message for users.
///
/// The error has no body. The component that knows the client's protocol renders the error.
package struct GatewayError: Error, Sendable {
    /// The HTTP status code of the response.
    package let status: Int
    /// A message that describes what happened and what to do.
    package let sentence: String
    /// The fields in addition to the fields of every error, such as Retry-After.
    package let fields: FieldList

    /// Creates an error with additional fields in this order.
    package init(_ status: Int, _ sentence: String, fields: KeyValuePairs<String, String> = [:]) {
        self.status = status
        self.sentence = sentence
        var list = FieldList()
        for (name, value) in fields { list.append(name, value) }
        self.fields = list
    }

    /// The error for a request with an unknown path.
    package static let notFound = GatewayError(404, "Not Found")
}

extension GatewayAnswer {
    /// Creates the response to an error in the gateway's own format: `{"detail": "…"}`.
    package init(_ error: GatewayError) {
        var body = Array(#"{"detail":"#.utf8)
        body.append(jsonString: error.sentence)
        body.append(UInt8(ascii: "}"))
        self.init(error, json: body)
    }

    /// Creates the response to an error with a body in the format of another client protocol.
    package init(_ error: GatewayError, json body: [UInt8]) {
        var head = ResponseHead(status: error.status)
        head.fields.append("Content-Type", "application/json")
        head.fields.append(contentsOf: error.fields)
        self.init(head: head, body: body)
    }
}
