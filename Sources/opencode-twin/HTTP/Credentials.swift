import TestKit

/// The one user and password that a server with OPENCODE_SERVER_PASSWORD lets in.
struct Credentials: Sendable {
    private let encoded: String
    private let isInQuery: Bool

    /// `isInQuery` says whether the query may have them too.
    init(user: String, password: String, isInQuery: Bool) {
        self.isInQuery = isInQuery
        encoded = Base64.encode(Array("\(user):\(password)".utf8))
    }

    /// Whether a request carries them: as Basic authentication or in the query's `auth_token`.
    func accept(_ request: Request) -> Bool {
        if isInQuery, request.query["auth_token"] == encoded { return true }
        let parts = request.fields.first("Authorization")?.split(separator: " ", maxSplits: 1) ?? []
        return parts.count == 2 && parts[0].lowercased() == "basic" && parts[1] == encoded
    }
}
