import Addresses
import EventLoop

/// What a loop knows of one of its ``Entrance``s.
struct OpenEntrance: Sendable {
    /// What can be asked for there.
    let endpoints: EndpointTable
    /// Whether requests without a key are let in where ``OpenRule`` says so: never where others than this machine can connect.
    let isOpen: Bool

    /// Nil where nobody serves what it is for.
    init?(_ entrance: Entrance, _ setUp: DataPlane.SetUp) {
        switch entrance.purpose {
        case .chat:
            guard setUp.chat != nil else { return nil }
            endpoints = .chatEntrance
        case .conversations:
            guard !setUp.conversationEndpoints.isEmpty else { return nil }
            endpoints = EndpointTable(setUp.conversationEndpoints)
        }
        isOpen = entrance.isOpen && IPAddress(entrance.address.host)?.isLoopback == true
    }
}
