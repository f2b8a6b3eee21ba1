// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventLoop

/// A loop's data about one of its ``EndpointListener``s.
struct OpenListener: Sendable {
    /// The endpoints that the listener serves.
    let endpoints: EndpointTable
    /// Whether requests without a key are admitted if ``OpenRule`` allows it.
    let isOpen: Bool

    /// Creates the data. Throws an error if the endpoints are not available, or if an open listener could be reached
    /// from other machines.
    init(_ entrance: EndpointListener, _ setUp: DataPlane.SetUp) throws(DataPlane.Failure) {
        switch entrance.purpose {
        case .chat:
            guard setUp.chat != nil else { throw .notServed(entrance) }
            endpoints = .chatEntrance
        case .conversations:
            guard !setUp.conversationEndpoints.isEmpty else { throw .notServed(entrance) }
            endpoints = EndpointTable(setUp.conversationEndpoints)
        }
        guard !entrance.isOpen || IPAddress(entrance.address.host)?.isLoopback == true else {
            throw .openToOthers(entrance)
        }
        isOpen = entrance.isOpen
    }
}
