import Addresses
import EventLoop

/// What a loop knows of one of its ``EndpointListener``s.
struct OpenListener: Sendable {
    /// What can be asked for there.
    let endpoints: EndpointTable
    /// Whether requests without a key are let in where ``OpenRule`` says so.
    let isOpen: Bool

    /// Fails where nobody serves what it is for, and where it would be open to other machines.
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
