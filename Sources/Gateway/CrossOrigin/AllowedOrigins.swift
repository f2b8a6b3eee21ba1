import HTTPTypes

/// The web origins whose pages may read the gateway's answers (Fetch standard, "CORS protocol"). Exact: no patterns and
/// no `*`, which would open every project of a user to every page that the user looks at.
package struct AllowedOrigins: Sendable {
    /// No page may.
    package static let none = AllowedOrigins([])

    /// Fields of the gateway's own answers that a page can't read unless they are named (Fetch standard,
    /// "CORS-safelisted response-header name").
    private static let exposed = "Allow, ETag, Location, Retry-After, X-Request-Id"

    private let grants: [(origin: [UInt8], fields: FieldList)]
    /// Whether an answer is readable depends on who asks: no cache may give it to another (RFC 9110 §12.5.5).
    private let fieldsForOthers: FieldList

    /// The origins as browsers write them: `https://app.example.com`.
    package init(_ origins: [String]) {
        grants = origins.map { origin in
            var fields = FieldList()
            fields.append("Access-Control-Allow-Origin", origin)
            fields.append("Access-Control-Allow-Credentials", "true")
            fields.append("Access-Control-Expose-Headers", Self.exposed)
            fields.append("Vary", "Origin")
            return (Array(origin.utf8), fields)
        }
        var fields = FieldList()
        fields.append("Vary", "Origin")
        fieldsForOthers = fields
    }

    /// Whether there is none.
    var isEmpty: Bool { grants.isEmpty }

    /// What the answers to a request with these fields tell a browser; nil where there is nothing to tell.
    func terms(for request: FieldList) -> CrossOriginTerms? {
        if grants.isEmpty { return nil }
        guard let index = request.firstIndex(of: .origin), request.firstIndex(of: .origin, from: index + 1) == nil,
            let grant = grants.first(where: { request.value(at: index).elementsEqual($0.origin) })
        else { return CrossOriginTerms(isGranted: false, fields: fieldsForOthers) }
        return CrossOriginTerms(isGranted: true, fields: grant.fields)
    }
}

/// What an answer tells a browser about the page that has asked.
struct CrossOriginTerms {
    /// Whether the page may read the answer.
    let isGranted: Bool
    /// The fields that say so, or that it depends on who asks.
    let fields: FieldList
}
