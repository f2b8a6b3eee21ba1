import Access

/// For whom a project's OpenCode is asked.
enum RequestInitiator: Sendable {
    /// A client: the project is started for it where it does not run, and its history says who that was; nil: one that was let
    /// in without a key.
    case client(Principal?)
    /// A client without a key that only reads: a browser sends such a request for any web page, so no project is started for it.
    case reader
    /// The gateway by itself, for which no project is started.
    case gateway

    /// The one of a REST request. Without a key only a request that no web page can make by itself starts a project.
    init(_ method: String, by principal: Principal?) {
        self = principal == nil && (method == "GET" || method == "HEAD") ? .reader : .client(principal)
    }
}
