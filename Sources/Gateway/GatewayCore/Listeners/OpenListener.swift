// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventLoop

/// A loop's data about one of its ``EndpointListener``s.
package struct OpenListener: Sendable {
    /// The endpoints that the listener serves.
    let endpoints: EndpointTable
    /// Whether the listener admits a request without a key if ``OpenRule`` allows the request.
    let isOpen: Bool

    /// Creates the data. Throws an error if there are no endpoints for the listener, or if an open listener could be
    /// reached from other machines.
    package init(_ listener: EndpointListener, endpoints: [Endpoint]) throws(DataPlaneError) {
        guard !endpoints.isEmpty else { throw .notServed(listener) }
        self.endpoints = EndpointTable(endpoints)
        guard !listener.isOpen || IPAddress(listener.address.host)?.isLoopback == true else {
            throw .openToOthers(listener)
        }
        isOpen = listener.isOpen
    }
}
