// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import JSONText

/// The members of a request's JSON body, all of which are strings.
///
/// A member with an unknown name is an error, because it may be a misspelt restriction.
struct RequestMembers: Sendable {
    private var values: [String: String] = [:]

    /// Reads the members of a body.
    ///
    /// - Parameters:
    ///   - names: The known names.
    ///   - nullable: The names whose value may be null, which counts as absent.
    ///   - example: A valid body, for the message of an error.
    init(
        _ body: [UInt8], names: Set<String>, nullable: Set<String> = [], example: String
    ) throws(GatewayError) {
        let advice = "Send, for example, \(example)."
        guard let object = JSONObject(jsonText: body) else {
            throw GatewayError(400, "The body is not a JSON object. \(advice)")
        }
        for member in object.members {
            guard names.contains(member.name), values[member.name] == nil else {
                throw GatewayError(400, "The body has an unknown or repeated member. \(advice)")
            }
            if member.value == .null, nullable.contains(member.name) { continue }
            guard let text = try? String(json: member.value) else {
                throw GatewayError(400, "A member of the body is not a string. \(advice)")
            }
            values[member.name] = text
        }
    }

    /// The value of a member; nil if the member is absent.
    subscript(name: String) -> String? { values[name] }
}
