import TestKit

/// The one user and password that a server with OPENCODE_SERVER_PASSWORD lets in.
struct Credentials: Sendable {
    private let encoded: String

    init(user: String, password: String) {
        encoded = Base64.encode(Array("\(user):\(password)".utf8))
    }

    /// Whether a request carries them: as Basic authentication or in the query's `auth_token`.
    func accept(_ request: Request) -> Bool {
        if request.query["auth_token"] == encoded { return true }
        let parts = request.fields.first("Authorization")?.split(separator: " ", maxSplits: 1) ?? []
        return parts.count == 2 && parts[0].lowercased() == "basic" && parts[1] == encoded
    }
}
