// SPDX-License-Identifier: Apache-2.0

/// One of OpenCode's two HTTP APIs. Both will continue to exist: OpenCode 2 is not a newer version of OpenCode 1's API
/// but a different API.
package enum APIFamily: String, Sendable, CaseIterable {
    /// OpenCode 1.x: its routes are at the root, and `GET /global/health` reports whether it is ready.
    case one = "1"
    /// OpenCode 2.x: its routes are below `/api`, and every other GET returns its web page.
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
