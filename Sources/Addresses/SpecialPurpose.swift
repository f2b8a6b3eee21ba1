/// Addresses that are not the public Internet's (RFC 6890 and the registries of special-purpose addresses that it
/// made).
extension IPAddress {
    /// What an address is for that belongs to this machine, to a private network or to nobody, as words for a sentence;
    /// nil for one of the public Internet. An IPv4 address within IPv6 (mapped, or NAT64's 64:ff9b::/96) counts as that
    /// IPv4 address.
    package var specialPurpose: String? {
        if let embedded = translated { return embedded.specialPurpose }
        for entry in Self.specialNetworks where entry.range.contains(self) { return entry.purpose }
        // All that is public so far begins with 001 (RFC 4291 §2.4).
        return isIPv4 || high >> 61 == 0b001 ? nil : "not allocated"
    }

    /// The IPv4 address to which a NAT64 gateway with the well-known prefix leads (RFC 6052 §2.1).
    private var translated: IPAddress? {
        guard high == 0x0064_ff9b_0000_0000, low >> 32 == 0 else { return nil }
        return IPAddress(high: 0, low: 0xffff_0000_0000 | low)
    }

    /// The networks and what they are for. 2001::/23 and 2002::/16 hold tunnels (Teredo, 6to4), which lead to IPv4
    /// addresses of any kind.
    static let specialNetworks: [(range: AddressRange, purpose: String)] = specialNetworkTexts.compactMap {
        text, purpose in
        (try? AddressRange(text)).map { ($0, purpose) }
    }

    static let specialNetworkTexts: [(String, String)] = [
        ("0.0.0.0/8", "this machine itself"),
        ("10.0.0.0/8", "a private network"),
        ("100.64.0.0/10", "a provider's own network"),
        ("127.0.0.0/8", "this machine itself"),
        ("169.254.0.0/16", "the local link"),
        ("172.16.0.0/12", "a private network"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "for documentation"),
        ("192.88.99.0/24", "a tunnel's"),
        ("192.168.0.0/16", "a private network"),
        ("198.18.0.0/15", "for benchmarks"),
        ("198.51.100.0/24", "for documentation"),
        ("203.0.113.0/24", "for documentation"),
        ("224.0.0.0/4", "multicast"),
        ("255.255.255.255", "broadcast"),
        ("240.0.0.0/4", "reserved"),
        ("::", "this machine itself"),
        ("::1", "this machine itself"),
        ("64:ff9b:1::/48", "a private network"),
        ("100::/64", "for discarding"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "for documentation"),
        ("2002::/16", "a tunnel's"),
        ("3fff::/20", "for documentation"),
        ("fc00::/7", "a private network"),
        ("fe80::/10", "the local link"),
        ("fec0::/10", "a private network"),
        ("ff00::/8", "multicast"),
    ]
}
