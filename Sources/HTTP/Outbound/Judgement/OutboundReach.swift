// SPDX-License-Identifier: Apache-2.0

package import Addresses

/// The addresses to which a request may connect.
///
/// The check happens when a connection is opened and uses the address of that connection. A name whose address changes
/// after the check therefore gains no access (DNS rebinding).
package struct OutboundReach: Sendable, Equatable {
    /// Whether all addresses are allowed.
    let isUnlimited: Bool
    /// The allowed networks in addition to the public Internet.
    private let exceptions: AddressRanges

    /// All addresses, for URLs that the gateway's owner configures.
    package static let everywhere = OutboundReach(isUnlimited: true, exceptions: AddressRanges.none)
    /// The public Internet only, for URLs that clients supply.
    package static let publicInternet = publicInternet(and: AddressRanges.none)

    /// Returns a reach that consists of the public Internet and the given networks.
    package static func publicInternet(and networks: AddressRanges) -> OutboundReach {
        OutboundReach(isUnlimited: false, exceptions: networks)
    }

    /// Returns the reason for refusing an address, as a phrase for a sentence; nil if it is allowed.
    ///
    /// - Parameter localAddresses: The addresses of this machine; nil if they are unknown. Any address could then be
    ///   one of them.
    package func refusal(of address: IPAddress, localAddresses: Set<IPAddress>?) -> String? {
        guard !isUnlimited, !exceptions.contains(address) else { return nil }
        if let special = address.specialPurpose { return special }
        guard let localAddresses else { return "possibly this machine itself, whose addresses cannot be read" }
        return localAddresses.contains(address) ? "this machine itself" : nil
    }

    /// Returns the reason for refusing a URL whose name a proxy will resolve; nil if it is allowed.
    ///
    /// A numeric address is checked like any other address. Names that never belong to the public Internet are refused
    /// (RFC 6761, RFC 6762, RFC 8375).
    package func refusal(viaProxy url: OutboundURL, localAddresses: Set<IPAddress>?) -> String? {
        guard !isUnlimited else { return nil }
        if let address = url.address { return refusal(of: address, localAddresses: localAddresses) }
        let labels = url.host.split(separator: ".")
        guard let last = labels.last, labels.count > 1 else { return "a name of the local network" }
        // A resolver may interpret a name that ends in a number as an IPv4 address in one of the legacy notations.
        if last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) || last.hasPrefix("0x") {
            return "not a valid host name"
        }
        let isLocal = ["localhost", "local", "internal", "lan", "home", "corp", "intranet", "private"].contains(
            String(last))
        return isLocal || url.host.hasSuffix("home.arpa") || url.host.hasSuffix("home.arpa.")
            ? "a name of the local network" : nil
    }
}
