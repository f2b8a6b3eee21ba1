// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import EventHub
import EventLoop
import Glibc
import HTTPServer
import Instances
import Logging
import OpenCodeFamilies
import Projects
import WebSockets

@testable import ConversationServing
@testable import GatewayCore
@testable import GatewayServer

/// A gateway's data plane whose chat sends every message back, for tests with other clients. It prints its port on
/// standard output and runs until it is killed. Its first argument is its key.
@main enum ChatEcho {
    static func main() async {
        guard CommandLine.arguments.count == 2, let address = SocketAddress(host: "127.0.0.1", port: 0) else { exit(2) }
        let day = Duration.seconds(86_400)
        let limits = GatewayLimits(
            server: ServerLimits(
                headTimeout: day, idleTimeout: day, bodyTimeout: day, sendTimeout: day, maximumHead: 16 * 1024,
                maximumConnections: 10_000),
            answerTimeout: day, streamTimeout: day, streamBacklog: 1 << 20, streamStall: day, streamStart: day)
        let policy = Policy(
            keys: KeyTable(keys: [(name: "test", secret: Array(CommandLine.arguments[1].utf8))]),
            failedTries: FailureLimiter.Rate(burst: 0, interval: .seconds(1)), trustedProxies: AddressRanges([]),
            origins: .none, pinsDirectories: true, isOpenCode1Compatible: true, limits: limits, eventEncoding: .raw,
            accessLog: false)
        var setUp = DataPlane.SetUp(
            address: address, threads: 1, policy: policy, log: Logger(sink: Nowhere()), control: NoProjects())
        setUp.chat = ChatSetUp { _ in .accepted(Echo()) }
        do {
            let plane = try DataPlane(setUp)
            try await plane.accept()
            let line = "port \(plane.address.port)\n"
            _ = line.withCString { write(1, $0, strlen($0)) }
        } catch {
            exit(1)
        }
        while true { pause() }
    }
}

private final class Echo: ChatDelegate {
    func opened(_ socket: ChatSocket) {}
    func received(text: [UInt8], on socket: ChatSocket) { socket.send(text: text) }
    func received(bytes: [UInt8], on socket: ChatSocket) { socket.send(Frame(.binary, bytes)) }
    func ended() {}
}

private struct Nowhere: LogSink {
    func write(_ record: LogRecord) {}
}

/// A control plane that knows no project.
private struct NoProjects: ProjectControl {
    func start(_ name: ProjectName, for principal: Principal?) async -> StartAnswer { .notFound }
    func stop(_ name: ProjectName, for principal: Principal?) async -> StopAnswer { .notFound }
    func history(of name: ProjectName) async -> InstanceRegistry.HistoryAnswer { .notFound }
    func status(_ name: ProjectName) async -> ProjectStatus? { nil }
    func answered(_ name: ProjectName, generation: UInt64) async {}
    func projects() async -> ProjectListing { .projects([]) }
    func directories(of name: ProjectName) async -> DirectoryScope? { nil }
    func openCodeProject(_ lookup: ProjectLookup) async -> OpenCodeProject? { nil }
    func projectMayHaveChanged(of name: ProjectName, number: UInt64) async {}
}
