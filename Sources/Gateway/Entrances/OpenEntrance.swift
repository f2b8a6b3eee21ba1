import Addresses
import EventLoop

/// What a loop knows of one of its ``Entrance``s.
struct OpenEntrance: Sendable {
    /// What can be asked for there.
    let endpoints: EndpointTable
    /// Whether requests without a key are let in where ``OpenRule`` says so: never where others than this machine can connect.
    let isOpen: Bool

    init(_ entrance: Entrance) {
        endpoints =
            switch entrance.purpose {
            case .chat: .chatEntrance
            }
        isOpen = entrance.isOpen && IPAddress(entrance.address.host)?.isLoopback == true
    }
}
