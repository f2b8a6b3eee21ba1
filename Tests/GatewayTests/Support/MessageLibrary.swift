// SPDX-License-Identifier: Apache-2.0

import HTTPServer

/// The libmicrohttpd that the gateway uses, which is the library of the system on which the tests run.
enum MessageLibrary {
    /// Whether the library itself rejects malformed requests (0.9.77 and later), with its own page instead of the
    /// gateway's sentence and sometimes without any response. It removes white space after a value, as RFC 9110 §5.5
    /// requires.
    static let isStrict = !version.lexicographicallyPrecedes([0, 9, 77])

    /// Whether the library mistakes the line feed after a chunk's extension for the first byte of the chunk, and then
    /// rejects the request (1.0.0 and later, until it is fixed).
    static let stumblesOverExtensions = !version.lexicographicallyPrecedes([1])

    private static let version = Server.libraryVersion.split(separator: ".").compactMap { Int($0) }
}
