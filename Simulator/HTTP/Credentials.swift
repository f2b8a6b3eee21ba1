// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The user name and password that a server requires.
struct Credentials: Sendable {
    private let encoded: String
    private let isInQuery: Bool
    private let queryDecides: Bool

    /// Creates credentials.
    ///
    /// - Parameters:
    ///   - isInQuery: Whether the query may contain the credentials.
    ///   - queryDecides: Whether the header field is ignored if the query contains credentials.
    init(user: String, password: String, isInQuery: Bool, queryDecides: Bool = false) {
        self.isInQuery = isInQuery
        self.queryDecides = queryDecides
        encoded = Base64.encode(Array("\(user):\(password)".utf8))
    }

    /// Returns whether a request contains the credentials, either as Basic authentication or in the query's
    /// `auth_token`.
    func accept(_ request: Request) -> Bool {
        if isInQuery, let token = request.query["auth_token"] {
            if token == encoded || queryDecides { return token == encoded }
        }
        let parts = request.fields.first("Authorization")?.split(separator: " ", maxSplits: 1) ?? []
        return parts.count == 2 && parts[0].lowercased() == "basic" && parts[1] == encoded
    }
}
