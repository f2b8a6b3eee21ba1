// SPDX-License-Identifier: Apache-2.0

import HTTPServer

/// The libmicrohttpd that the gateway uses: the library of the system that the tests run on.
enum MessageLibrary {
    /// Whether the library refuses malformed requests itself (0.9.77 and later), with its own page in place of the
    /// gateway's sentence and sometimes without any answer. It removes white space after a value, as RFC 9110 §5.5
    /// requires.
    static let isStrict = !version.lexicographicallyPrecedes([0, 9, 77])

    /// Whether the library takes the line feed after a chunk's extension for the first byte of the chunk, and then
    /// refuses the request (1.0.0 and later, until it is fixed there).
    static let stumblesOverExtensions = !version.lexicographicallyPrecedes([1])

    private static let version = Server.libraryVersion.split(separator: ".").compactMap { Int($0) }
}
