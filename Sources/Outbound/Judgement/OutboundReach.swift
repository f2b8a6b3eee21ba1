package import Addresses

/// Which addresses a request may go to. It is judged where a connection is opened, of the very address to which it is,
/// so that a name that changes its mind gains nothing.
package struct OutboundReach: Sendable, Equatable {
    /// Whether nothing is refused.
    let isUnlimited: Bool
    /// What may be asked besides the public Internet.
    private let exceptions: AddressRanges

    /// Everything, for URLs that the gateway's owner has set.
    package static let everywhere = OutboundReach(isUnlimited: true, exceptions: AddressRanges.none)
    /// The public Internet alone, for URLs that clients give.
    package static let publicInternet = publicInternet(and: AddressRanges.none)

    /// The public Internet and these networks.
    package static func publicInternet(and networks: AddressRanges) -> OutboundReach {
        OutboundReach(isUnlimited: false, exceptions: networks)
    }

    /// Why this address is refused, as words for a sentence; nil where it may be asked. `own` are the machine's
    /// addresses; nil where they are not known, and nothing can be told from this machine then.
    package func refusal(of address: IPAddress, own: Set<IPAddress>?) -> String? {
        guard !isUnlimited, !exceptions.contains(address) else { return nil }
        if let special = address.specialPurpose { return special }
        guard let own else { return "perhaps this machine itself, whose addresses can't be read" }
        return own.contains(address) ? "this machine itself" : nil
    }

    /// Why a URL is refused whose name a proxy will look up: addresses are judged as such, and names that are never the
    /// public Internet's are refused (RFC 6761, RFC 6762, RFC 8375). Nil where it may be asked.
    package func refusal(behindProxy url: OutboundURL, own: Set<IPAddress>?) -> String? {
        guard !isUnlimited else { return nil }
        if let address = url.address { return refusal(of: address, own: own) }
        let labels = url.host.split(separator: ".")
        guard let last = labels.last, labels.count > 1 else { return "a name of the local network" }
        // What a resolver may take for an IPv4 address in one of its old forms.
        if last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) || last.hasPrefix("0x") { return "no name" }
        let isLocal = ["localhost", "local", "internal", "lan", "home", "corp", "intranet", "private"].contains(
            String(last))
        return isLocal || url.host.hasSuffix("home.arpa") || url.host.hasSuffix("home.arpa.")
            ? "a name of the local network" : nil
    }
}
