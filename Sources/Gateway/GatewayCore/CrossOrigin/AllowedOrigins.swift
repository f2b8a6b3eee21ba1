// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The web origins whose pages may read the gateway's responses (Fetch standard, "CORS protocol"). The gateway compares
/// origins exactly, and supports neither patterns nor `*`. With `*`, every page that a user visits could access all of
/// the user's projects.
package struct AllowedOrigins: Sendable {
    /// The set that allows no origin.
    package static let none = AllowedOrigins([])

    /// The fields of the gateway's own responses that a page can read only if this list names them (Fetch standard,
    /// "CORS-safelisted response-header name").
    private static let exposed = "Allow, ETag, Location, Retry-After, X-Request-Id"

    private let grants: [(origin: [UInt8], fields: FieldList)]
    /// The fields for origins that are not allowed. The origin determines whether a response is readable, so a cache
    /// must not reuse the response for another origin (RFC 9110 §12.5.5).
    private let fieldsForOthers: FieldList

    /// Creates the set from origins as browsers write them, such as `https://app.example.com`.
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

    /// Whether no origin is allowed.
    var isEmpty: Bool { grants.isEmpty }

    /// Returns the cross-origin terms for the response to a request with these fields; nil if no fields
    /// need to be added.
    func terms(for request: FieldList) -> CrossOriginTerms? {
        if grants.isEmpty { return nil }
        guard let index = request.firstIndex(of: .origin), request.firstIndex(of: .origin, from: index + 1) == nil,
            let grant = grants.first(where: { request.value(at: index).elementsEqual($0.origin) })
        else { return CrossOriginTerms(isGranted: false, fields: fieldsForOthers) }
        return CrossOriginTerms(isGranted: true, fields: grant.fields)
    }
}

/// The part of a response that states whether the requesting page may read the response.
package struct CrossOriginTerms {
    /// Whether the page may read the response.
    package let isGranted: Bool
    /// The fields that grant access, or that state that the response depends on the origin.
    package let fields: FieldList
}
