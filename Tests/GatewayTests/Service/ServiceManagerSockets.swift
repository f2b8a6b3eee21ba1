// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// The notification socket of a service manager, where the gateway reports its state (sd_notify(3)).
final class NotifySocket: Sendable {
    let path: String
    private let folder: TemporaryDirectory
    private let descriptor: Int32

    init() throws {
        folder = try TemporaryDirectory()
        path = "\(folder.path)/notify"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw TestFailure("bind: \(errno)") }
    }

    deinit { close(descriptor) }

    /// Returns the lines of the next message; empty if none arrives in time.
    func next(within limit: Duration = .seconds(20)) -> [String] {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, Int32(limit.components.seconds * 1_000)) == 1 else { return [] }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Returns the next message that has this line. Throws an error if a message other than a watchdog message arrives
    /// first.
    func expect(_ line: String) throws -> [String] {
        while true {
            let message = next()
            if message.contains(line) { return message }
            guard message == ["WATCHDOG=1"] else { throw TestFailure("\(message) came instead of \(line)") }
        }
    }
}

/// A listening socket that stays open when the program that accepts from it ends, like that of a `.socket` unit.
final class SharedSocket: Sendable {
    let descriptor: Int32
    let port: UInt16

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) | listen(descriptor, 128) | getsockname(descriptor, $0, &length)
            }
        }
        guard result == 0 else { throw TestFailure("a listening socket: \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

    /// Starts a gateway with this socket as the service manager would. If `waits` is true, returns only after the
    /// gateway has begun to listen.
    func startGateway(
        home: String, flags: [String] = [], environment: [String: String] = [:], waits: Bool = true
    ) throws -> TestProcess {
        // The manager sets the id of the process that the variables are for (sd_listen_fds(3)).
        let start = "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=http exec \"$0\" \"$@\""
        let process = try TestProcess(
            "/bin/sh",
            [
                "-c", start, try BuiltProducts.path("viberemote-gateway"), "serve", "--listen", "127.0.0.1:1", "--home",
                home,
            ] + flags,
            environment: [
                "VIBE_AUTH_SECRET": GatewayUnderTest.key, "VIBE_THREADS": "2", "VIBE_SUPERVISOR": "process",
            ].merging(environment) { $1 }, descriptor: descriptor)
        guard waits else { return process }
        try process.waitForLine(on: .output, within: .seconds(30)) { $0.hasSuffix("http://127.0.0.1:\(port)") }
        return process
    }
}
