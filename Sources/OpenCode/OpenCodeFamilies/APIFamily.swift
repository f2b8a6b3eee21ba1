// SPDX-License-Identifier: Apache-2.0

/// One of OpenCode's two HTTP APIs. Both APIs will continue to exist, because OpenCode 2's API is a different API
/// rather than a newer version of OpenCode 1's API.
package enum APIFamily: String, Sendable, CaseIterable {
    /// The API of OpenCode 1.x. Its routes are at the root, and `GET /global/health` reports whether the server is
    /// ready.
    case one = "1"
    /// The API of OpenCode 2.x. Its routes are below `/api`, and every other GET request returns OpenCode's web page.
    case two = "2"
}

extension APIFamily {
    /// Creates the family of a version such as `1.18.33` or `2.0.0-beta.1`. Returns nil if the family is unknown, for
    /// example for a development build.
    package init?(version: String) {
        switch version.prefix(while: { $0 != "." }) {
        case "1": self = .one
        case "2": self = .two
        default: return nil
        }
    }
}
