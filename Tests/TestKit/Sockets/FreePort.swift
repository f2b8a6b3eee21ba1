// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Finds free ports of 127.0.0.1 for programs that need a fixed port number.
package enum FreePort {
    /// Returns a free port below the range from which the kernel assigns ports (`net.ipv4.ip_local_port_range` begins
    /// at 32768). Therefore no other socket on the machine can get this port by chance.
    ///
    /// - Throws: `unavailable` after a thousand occupied ports.
    package static func find() throws -> UInt16 {
        for _ in 0..<1_000 {
            // The range is above the ports of OpenCode 1 and 2, which count up from 4096.
            guard let descriptor = try? Listener.bound(port: .random(in: 16_384..<32_768)) else { continue }
            defer { _ = close(descriptor) }
            return SocketAddress.port(of: descriptor, getsockname)
        }
        throw TestKitError.unavailable("a free port from 16384 to 32767")
    }
}
