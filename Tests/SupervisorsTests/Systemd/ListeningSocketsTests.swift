// SPDX-License-Identifier: Apache-2.0

import Addresses
import Testing

@testable import Supervisors

@Suite("Listening sockets of a unit")
struct ListeningSocketsTests {
    static let ipv4 = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1000 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 20100 1 0 100 0 0 10 0
           1: 0100007F:9E6F 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 20200 1 0 100 0 0 10 0
           2: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 20300 1 0 100 0 0 10 0
           3: 0100007F:1000 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 20400 1 0 20 4 30 10 -1
           4: 0100007F:1001 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 0 1 0 100 0 0 10 0
        nonsense
        """
    static let ipv6 = """
          sl  local_address                         remote_address                        st tx rx tr when uid timeout inode
           0: 00000000000000000000000001000000:1388 00000000000000000000000000000000:0000 0A 0:0 00:0 0 1000 0 20500 1 0
           1: 00000000000000000000000000000000:1389 00000000000000000000000000000000:0000 0A 0:0 00:0 0 1000 0 20600 1 0
        """

    @Test func `only sockets that listen on a loopback address are found`() {
        let sockets = ListeningSockets(tables: [Self.ipv4, Self.ipv6])

        #expect(sockets.items.map(\.address.authority) == ["127.0.0.1:4096", "127.0.0.1:40559", "[::1]:5000"])
    }

    @Test(
        arguments: [
            ([20100], 0x1000), ([20200], 0x9E6F), ([20500], 0x1388), ([20200, 20100], 0x1000), ([20300], nil),
            ([20400], nil),
            ([], nil), ([99], nil), ([0], nil),
        ] as [(Set<UInt64>, UInt16?)])
    func `the address of a process is that of its first listening loopback socket`(inodes: Set<UInt64>, port: UInt16?) {
        #expect(ListeningSockets(tables: [Self.ipv4, Self.ipv6]).address(of: inodes)?.port == port)
    }
}
