import HTTPServer
import HTTPTypes

/// A browser's question before a page's request: whether that page may send it (Fetch standard, "CORS-preflight
/// request"). It carries no key, so the gateway answers it itself.
struct Preflight {
    /// How long a browser may keep the answer, in seconds; Chromium keeps none longer than two hours.
    private static let longestUse = "7200"

    private let request: FieldList

    /// Nil where the request is none: it has another method, or lacks a field that every preflight has.
    init?(_ head: RequestHead) {
        guard head.method == .options, head.fields.firstIndex(of: .accessControlRequestMethod) != nil,
            head.fields.firstIndex(of: .origin) != nil
        else { return nil }
        request = head.fields
    }

    /// The answer for a path with these methods (``EndpointTable/allow(_:)``): 204 with what is allowed; 403 for a page
    /// that may not, as the Fetch standard encourages ("HTTP responses"); 404 where nothing is to be asked for.
    ///
    /// `terms` are added to it as to every other answer.
    func answer(_ allow: String?, _ terms: CrossOriginTerms?) -> Answer {
        guard let allow else { return .detail(404, "Not Found") }
        guard terms?.isGranted == true else {
            return .detail(
                403, "Pages of this origin may not use the gateway. Its operator can allow it (--allow-origin).")
        }
        var head = ResponseHead(status: 204)
        head.fields.append("Access-Control-Allow-Methods", allow)
        if let names = requestedHeaders {
            head.fields.append(name: Array("Access-Control-Allow-Headers".utf8), value: names)
        }
        head.fields.append("Access-Control-Max-Age", Self.longestUse)
        head.fields.append("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
        return Answer(head: head, body: [])
    }

    /// The names that the page wants to send, as they came: every one is allowed, because any may reach an instance.
    /// `*` would not do: it stands for no Authorization field.
    private var requestedHeaders: ArraySlice<UInt8>? {
        guard let value = request.first(.accessControlRequestHeaders), !value.isEmpty,
            ListElements(value).allSatisfy({ $0.allSatisfy(\.isTokenCharacter) })
        else { return nil }
        return value
    }
}
