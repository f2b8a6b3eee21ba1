// SPDX-License-Identifier: Apache-2.0

import Access
import GatewayCore

/// The origin of a request to a project's OpenCode.
enum RequestInitiator: Sendable {
    /// A client. Its request starts a project that is not running, and the project's history records the principal. The
    /// principal is nil for a client that was admitted without a key.
    case client(Principal?)
    /// A client without a key that only reads. Its request starts no project, because a browser may send such a request
    /// on behalf of any web page.
    case reader
    /// The gateway itself. Its requests start no projects.
    case gateway

    /// Creates the initiator of a REST request. Without a key, a request starts a project only if no web page can send
    /// such a request by itself.
    init(_ method: String, by principal: Principal?) {
        self = principal == nil && (method == "GET" || method == "HEAD") ? .reader : .client(principal)
    }
}
