// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import GatewayCore
import OpenCodeFamilies

/// The origin of a request to a project's OpenCode.
enum RequestInitiator: Sendable {
    /// A client. Its request starts a project that is not running, and the project's history records the principal. The
    /// principal is nil for a client that was admitted without a key. The address is for the audit log.
    case client(Principal?, address: IPAddress? = nil)
    /// A client that only reads and either has no key or a key below the scope `write`, which permits no start. A client
    /// whom a proxy has signed in counts too, because a browser may send such a request on behalf of any web page. The
    /// request starts no project.
    case reader
    /// The gateway itself. Its requests start no projects.
    case gateway

    /// Creates the initiator of a REST request. Without a key in the request, a request starts a project only if no web
    /// page can send such a request by itself.
    init(_ method: String, by principal: Principal?, at address: IPAddress? = nil) {
        let onlyReads = method == "GET" || method == "HEAD"
        let mayStart = principal.map { $0.rights.scope >= .write && !($0.isAmbient && onlyReads) } ?? !onlyReads
        self = mayStart ? .client(principal, address: address) : .reader
    }
}
