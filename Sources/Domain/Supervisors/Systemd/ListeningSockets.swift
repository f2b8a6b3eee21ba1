// SPDX-License-Identifier: Apache-2.0

internal import Addresses

/// The TCP sockets that listen on loopback addresses, according to the kernel's tables (proc_net_tcp(5)).
struct ListeningSockets: Sendable, Equatable {
    /// A socket that listens on a loopback address.
    struct Item: Sendable, Equatable {
        /// The socket's inode number, which identifies it in `/proc/PID/fd`.
        let inode: UInt64
        /// The address on which the server listens.
        let address: InstanceAddress
    }

    private(set) var items: [Item] = []

    /// Parses `/proc/net/tcp` and `/proc/net/tcp6`. Ignores sockets on other addresses, including 0.0.0.0, because the
    /// gateway starts OpenCode with the host 127.0.0.1.
    init(tables: [String]) {
        for table in tables {
            for line in table.split(separator: "\n").dropFirst() {
                if let item = Self.item(line) { items.append(item) }
            }
        }
    }

    /// Returns the address of the socket that was opened first among the sockets with these inodes. A server that was
    /// just started listens before its descendants do.
    func address(of inodes: Set<UInt64>) -> InstanceAddress? {
        items.filter { inodes.contains($0.inode) }.min { $0.inode < $1.inode }?.address
    }

    private static func item(_ line: Substring) -> Item? {
        let fields = line.split(separator: " ")
        guard fields.count > 9, fields[3] == listening, let inode = UInt64(fields[9]), inode != 0 else { return nil }
        let local = fields[1].split(separator: ":")
        guard local.count == 2, let ip = loopbacks[String(local[0])], let port = UInt16(local[1], radix: 16) else {
            return nil
        }
        return Item(inode: inode, address: InstanceAddress(ip: ip, port: port))
    }

    /// The state TCP_LISTEN (net/tcp_states.h) in hexadecimal digits.
    private static let listening = "0A"
    /// The addresses 127.0.0.1, ::1 and ::ffff:127.0.0.1 in the format of a little-endian machine.
    private static let loopbacks: [String: IPAddress] = [
        "0100007F": .loopback, "00000000000000000000000001000000": .loopbackIPv6,
        "0000000000000000FFFF00000100007F": .loopback,
    ]
}
