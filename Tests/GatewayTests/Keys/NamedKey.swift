// SPDX-License-Identifier: Apache-2.0

import TestKit

@testable import opencode_simulator

/// A named key that a test has created.
struct NamedKey {
    let id: String
    let token: String

    /// The header field that authorizes a request with this key.
    var authorization: (String, String) { ("Authorization", "Bearer \(token)") }
}

extension GatewayUnderTest {
    /// Creates a named key with the administrator's key.
    ///
    /// - Parameter members: Further members of the JSON body, for example `"allow":"read"`.
    func createKey(_ name: String = "phone", _ members: String...) throws -> NamedKey {
        let body = "{" + (["\"name\":\"\(name)\""] + members).joined(separator: ",") + "}"
        let response = try json("POST", "/-/keys", body)
        guard response.status == 201, let id = response.json["id"]?.text, let token = response.json["key"]?.text else {
            throw TestFailure("the gateway responded with \(response.status) \(response.text)")
        }
        return NamedKey(id: id, token: token)
    }

    /// Sends a request with a JSON body.
    ///
    /// - Parameter key: The key of the request; nil for the administrator's key.
    func json(_ method: String, _ target: String, _ body: String, key: NamedKey? = nil) throws -> TestResponse {
        try TestClient.request(
            port: port, method, target,
            headers: [key?.authorization ?? Self.authorization, ("Content-Type", "application/json")],
            body: Array(body.utf8))
    }

    /// Sends a request with a named key.
    func request(_ method: String = "GET", _ target: String, key: NamedKey) throws -> TestResponse {
        try TestClient.request(port: port, method, target, headers: [key.authorization])
    }
}
