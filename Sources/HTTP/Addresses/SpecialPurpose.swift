// SPDX-License-Identifier: Apache-2.0

/// Addresses that are not part of the public Internet (RFC 6890 and the registries of special-purpose addresses that
/// this RFC established).
extension IPAddress {
    /// The purpose of an address outside the public Internet, as a phrase for a sentence; nil for a public address.
    ///
    /// Such an address belongs to this machine or to a private network, or is not allocated. An IPv6 address that
    /// contains an IPv4 address (mapped, or NAT64's 64:ff9b::/96) is treated as that IPv4 address.
    package var specialPurpose: String? {
        if let embedded = translated { return embedded.specialPurpose }
        for entry in Self.specialNetworks where entry.range.contains(self) { return entry.purpose }
        // All public addresses allocated so far begin with the bits 001 (RFC 4291 §2.4).
        return isIPv4 || high >> 61 == 0b001 ? nil : "not allocated"
    }

    /// The IPv4 address to which a NAT64 gateway with the well-known prefix translates this address (RFC 6052 §2.1).
    private var translated: IPAddress? {
        guard high == 0x0064_ff9b_0000_0000, low >> 32 == 0 else { return nil }
        return IPAddress(high: 0, low: 0xffff_0000_0000 | low)
    }

    /// The special networks with their purposes. 2001::/23 and 2002::/16 contain tunnels (Teredo, 6to4), which lead to
    /// IPv4 addresses of any kind.
    static let specialNetworks: [(range: AddressRange, purpose: String)] = specialNetworkTexts.compactMap {
        text, purpose in
        (try? AddressRange(text)).map { ($0, purpose) }
    }

    static let specialNetworkTexts: [(String, String)] = [
        ("0.0.0.0/8", "this machine itself"),
        ("10.0.0.0/8", "an address of a private network"),
        ("100.64.0.0/10", "an address of a provider's private network"),
        ("127.0.0.0/8", "this machine itself"),
        ("169.254.0.0/16", "a link-local address"),
        ("172.16.0.0/12", "an address of a private network"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "reserved for documentation"),
        ("192.88.99.0/24", "a tunnel address"),
        ("192.168.0.0/16", "an address of a private network"),
        ("198.18.0.0/15", "reserved for benchmarks"),
        ("198.51.100.0/24", "reserved for documentation"),
        ("203.0.113.0/24", "reserved for documentation"),
        ("224.0.0.0/4", "a multicast address"),
        ("255.255.255.255", "the broadcast address"),
        ("240.0.0.0/4", "reserved"),
        ("::", "this machine itself"),
        ("::1", "this machine itself"),
        ("64:ff9b:1::/48", "an address of a private network"),
        ("100::/64", "a discard address"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "reserved for documentation"),
        ("2002::/16", "a tunnel address"),
        ("3fff::/20", "reserved for documentation"),
        ("fc00::/7", "an address of a private network"),
        ("fe80::/10", "a link-local address"),
        ("fec0::/10", "an address of a private network"),
        ("ff00::/8", "a multicast address"),
    ]
}
