import HTTPServer

/// The libmicrohttpd that the gateway uses, which is the one of the system that the tests run on.
enum MessageLibrary {
    /// Whether it refuses loose requests itself (0.9.77 and later), with a page of its own in the place of the gateway's
    /// sentence and sometimes without any answer. White space behind a value it drops, as it should (RFC 9110 §5.5).
    static let isStrict = !version.lexicographicallyPrecedes([0, 9, 77])

    /// Whether it takes the line feed behind a chunk's extension for the first byte of the chunk, and then refuses the
    /// request (1.0.0 and later, until it is mended there).
    static let stumblesOverExtensions = !version.lexicographicallyPrecedes([1])

    private static let version = Server.libraryVersion.split(separator: ".").compactMap { Int($0) }
}
