// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes

/// A browser's request that checks whether a page may send its actual request (Fetch standard, "CORS-preflight
/// request"). A preflight request contains no key, and the gateway itself responds to it.
struct Preflight {
    /// The number of seconds for which a browser may cache the response. Chromium caches no response for
    /// more than two hours.
    private static let longestUse = "7200"

    private let request: FieldList

    /// Parses a preflight request. Returns nil if the method is not OPTIONS, or if a field is missing that every
    /// preflight request has.
    init?(_ head: RequestHead) {
        guard head.method == .options, head.fields.firstIndex(of: .accessControlRequestMethod) != nil,
            head.fields.firstIndex(of: .origin) != nil
        else { return nil }
        request = head.fields
    }

    /// Returns the response for a path with these methods (``EndpointTable/allow(_:)``). The response is 204 with the
    /// allowed methods and fields. The caller adds the fields of `terms`, as for every other response.
    ///
    /// - Throws: A 403 error for a page that is not allowed, as the Fetch standard encourages ("HTTP responses"), and
    ///   a 404 error for an unknown path.
    func answer(_ allow: String?, _ terms: CrossOriginTerms?) throws(GatewayError) -> GatewayAnswer {
        guard let allow else { throw .notFound }
        guard terms?.isGranted == true else {
            throw GatewayError(
                403,
                "Web pages of this origin are not allowed to use the gateway. To allow the origin, set --allow-origin.")
        }
        var head = ResponseHead(status: 204)
        head.fields.append("Access-Control-Allow-Methods", allow)
        if let names = requestedHeaders {
            head.fields.append(name: Array("Access-Control-Allow-Headers".utf8), value: names)
        }
        head.fields.append("Access-Control-Max-Age", Self.longestUse)
        head.fields.append("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
        return GatewayAnswer(head: head, body: [])
    }

    /// The names of the fields that the page will send, as the request lists them. The gateway allows all
    /// fields, because an instance may need any of them. The value `*` would not suffice, because `*` does not
    /// include the Authorization field.
    private var requestedHeaders: ArraySlice<UInt8>? {
        guard let value = request.first(.accessControlRequestHeaders), !value.isEmpty,
            ListElements(value).allSatisfy({ $0.allSatisfy(\.isTokenCharacter) })
        else { return nil }
        return value
    }
}
