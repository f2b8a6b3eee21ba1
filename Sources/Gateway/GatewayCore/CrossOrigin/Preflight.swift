// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes

/// A browser's request that checks whether a page may send its actual request (Fetch standard, "CORS-preflight
/// request"). It carries no key, so the gateway answers it itself.
struct Preflight {
    /// The longest time in seconds that a browser may cache the answer; Chromium caches none longer than two hours.
    private static let longestUse = "7200"

    private let request: FieldList

    /// Creates a preflight from a request's head. Returns nil if the request has another method, or lacks a field that
    /// every preflight has.
    init?(_ head: RequestHead) {
        guard head.method == .options, head.fields.firstIndex(of: .accessControlRequestMethod) != nil,
            head.fields.firstIndex(of: .origin) != nil
        else { return nil }
        request = head.fields
    }

    /// Returns the answer for a path with these methods (``EndpointTable/allow(_:)``): 204 with the allowed methods and
    /// fields. The caller adds the fields of `terms`, as to every other answer.
    ///
    /// - Throws: 403 for a page that is not allowed, as the Fetch standard encourages ("HTTP responses"); 404 for an
    ///   unknown path.
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

    /// The names of the fields that the page will send, unchanged. All are allowed, because an instance may need
    /// any of them. `*` would not suffice, because it does not include the Authorization field.
    private var requestedHeaders: ArraySlice<UInt8>? {
        guard let value = request.first(.accessControlRequestHeaders), !value.isEmpty,
            ListElements(value).allSatisfy({ $0.allSatisfy(\.isTokenCharacter) })
        else { return nil }
        return value
    }
}
