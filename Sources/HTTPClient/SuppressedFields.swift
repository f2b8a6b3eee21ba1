internal import CCurl

/// What libcurl is told of field lines: leave out those that it would add of its own, and frame a body of unknown
/// length in chunks.
///
/// The request's own fields go out another way (``RequestBlock``), of which libcurl knows nothing.
enum SuppressedFields {
    /// For a request without a body.
    static let withoutBody = List(["Host:", "Accept:"])
    /// For a request with a body of known length.
    static let withBody = List(["Host:", "Accept:", "Content-Type:", "Expect:"])
    /// For a request with a body of unknown length.
    static let withChunkedBody = List(["Host:", "Accept:", "Content-Type:", "Expect:", "Transfer-Encoding: chunked"])

    /// One of libcurl's lists, made once and never freed: handles refer to it for as long as they live.
    struct List: @unchecked Sendable {  // libcurl only reads it
        let pointer: UnsafeMutablePointer<curl_slist>?

        fileprivate init(_ lines: [String]) {
            pointer = lines.reduce(nil) { curl_slist_append($0, $1) }
        }
    }
}
