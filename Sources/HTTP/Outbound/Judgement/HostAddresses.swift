// SPDX-License-Identifier: Apache-2.0

package import Addresses
internal import CCurl
internal import Glibc

/// Reads IP addresses from the system's socket structures.
package enum HostAddresses {
    /// Returns the current addresses of this machine's interfaces (getifaddrs(3)). Returns nil if they cannot be read,
    /// for example if glibc cannot open the netlink socket that it needs.
    package static func current() -> Set<IPAddress>? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        var found: Set<IPAddress> = []
        var entry = first
        while let present = entry {
            if let address = present.pointee.ifa_addr.flatMap({ ipAddress(UnsafePointer($0)) }) {
                found.insert(address)
            }
            entry = present.pointee.ifa_next
        }
        return found
    }

    /// Returns the address in a structure; nil if it is neither IPv4 nor IPv6.
    static func ipAddress(_ address: UnsafePointer<sockaddr>) -> IPAddress? {
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
