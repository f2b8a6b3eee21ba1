internal import Addresses
internal import CCurl
internal import Glibc

/// Addresses out of the system's structures.
enum OwnAddresses {
    /// Those of this machine's interfaces, at this moment (getifaddrs(3)); nil where they can't be read, for which glibc needs
    /// a netlink socket.
    static func current() -> Set<IPAddress>? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        var found: Set<IPAddress> = []
        var entry = first
        while let present = entry {
            if let address = present.pointee.ifa_addr.flatMap({ read(UnsafePointer($0)) }) { found.insert(address) }
            entry = present.pointee.ifa_next
        }
        return found
    }

    /// The address in a structure; nil where it is neither IPv4 nor IPv6.
    static func read(_ address: UnsafePointer<sockaddr>) -> IPAddress? {
        let length: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
            guard let start = text.baseAddress,
                getnameinfo(address, socklen_t(length), start, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { return nil }
            return IPAddress(String(cString: start))
        }
    }
}
