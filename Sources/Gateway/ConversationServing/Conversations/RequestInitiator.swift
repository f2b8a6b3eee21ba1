// SPDX-License-Identifier: Apache-2.0

import Access
import GatewayCore

/// The initiator of a request to a project's OpenCode.
enum RequestInitiator: Sendable {
    /// A client. The project is started for it if it is not running, and the project's history records the principal;
    /// nil is a client that was admitted without a key.
    case client(Principal?)
    /// A client without a key that only reads. No project is started for it, because a browser sends such a request for
    /// any web page.
    case reader
    /// The gateway itself. It starts no project.
    case gateway

    /// Creates the initiator of a REST request. Without a key, only a request that no web page can send by itself
    /// starts a project.
    init(_ method: String, by principal: Principal?) {
        self = principal == nil && (method == "GET" || method == "HEAD") ? .reader : .client(principal)
    }
}
