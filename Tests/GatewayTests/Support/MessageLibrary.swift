import HTTPServer

/// The libmicrohttpd that the gateway uses, which is the one of the system that the tests run on.
enum MessageLibrary {
    /// Whether it refuses loose requests itself (0.9.77 and later), with a page of its own in the place of the gateway's
    /// sentence and sometimes without any answer. White space behind a value it drops, as it should (RFC 9110 §5.5).
    static let isStrict = !Server.libraryVersion.split(separator: ".").compactMap { Int($0) }
        .lexicographicallyPrecedes([0, 9, 77])
}
