// SPDX-License-Identifier: Apache-2.0

import TestKit

@testable import opencode_simulator

/// A browser with a session: it keeps the gateway's cookie and sends it with each request.
struct SignedInBrowser {
    let gateway: GatewayUnderTest
    /// The cookie as the browser sends it.
    let cookie: String
    /// The fields that a browser sends with a request of the gateway's own page.
    static let ownPage = ("Sec-Fetch-Site", "same-origin")

    /// Signs in with a key.
    init(_ gateway: GatewayUnderTest, key: String, fields: [(String, String)] = []) throws {
        let response = try TestClient.request(
            port: gateway.port, "POST", "/-/login", headers: [("Content-Type", "application/json")] + fields,
            body: Array(#"{"key":"\#(key)"}"#.utf8))
        guard response.status == 200, let field = response.value(of: "set-cookie"),
            let cookie = field.split(separator: ";").first
        else { throw TestFailure("the gateway responded with \(response.status) \(response.text)") }
        self.gateway = gateway
        self.cookie = String(cookie)
    }

    /// Sends a request with the cookie.
    func request(
        _ method: String = "GET", _ target: String, _ fields: [(String, String)] = []
    ) throws -> TestResponse {
        try TestClient.request(port: gateway.port, method, target, headers: [("Cookie", cookie)] + fields)
    }
}
