import TestKit

/// The one user and password that a server with OPENCODE_SERVER_PASSWORD lets in.
struct Credentials: Sendable {
    private let encoded: String
    private let isInQuery: Bool
    private let queryDecides: Bool

    /// `isInQuery` says whether the query may have them too, `queryDecides` whether the field does not count then.
    init(user: String, password: String, isInQuery: Bool, queryDecides: Bool = false) {
        (self.isInQuery, self.queryDecides) = (isInQuery, queryDecides)
        encoded = Base64.encode(Array("\(user):\(password)".utf8))
    }

    /// Whether a request carries them: as Basic authentication or in the query's `auth_token`.
    func accept(_ request: Request) -> Bool {
        if isInQuery, let token = request.query["auth_token"] {
            if token == encoded || queryDecides { return token == encoded }
        }
        let parts = request.fields.first("Authorization")?.split(separator: " ", maxSplits: 1) ?? []
        return parts.count == 2 && parts[0].lowercased() == "basic" && parts[1] == encoded
    }
}
