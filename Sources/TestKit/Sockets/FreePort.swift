import Glibc

/// A port of 127.0.0.1 for a program that wants a number, or that goes to another one later.
package enum FreePort {
    /// A port that nobody has, below those that the kernel gives to who asks for any (`net.ipv4.ip_local_port_range` begins
    /// at 32768), so that none of the many sockets beside this test can get it before its owner does. Throws
    /// `unavailable` when a thousand were taken.
    package static func find() throws -> UInt16 {
        for _ in 0..<1_000 {
            // Above the ports of OpenCode 1 and 2, which count up from 4096.
            guard let descriptor = try? Listener.bound(port: .random(in: 16_384..<32_768)) else { continue }
            defer { _ = close(descriptor) }
            return SocketAddress.port(of: descriptor, getsockname)
        }
        throw TestKitError.unavailable("a free port from 16384 to 32767")
    }
}
