// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import EventHub
import HTTPServer
import HTTPTypes
import Instances
import Logging
import OpenCodeFamilies
import Projects
import TestKit

@testable import GatewayCore

extension RequestHead {
    /// Creates a head with this method, target and fields.
    convenience init(_ method: Method, _ target: String, _ fields: KeyValuePairs<String, String> = [:]) {
        self.init()
        self.method = method
        methodName = method.name ?? "BREW"
        self.target = Array(target.utf8)
        for (name, value) in fields { self.fields.append(name, value) }
    }
}

extension Policy {
    /// Creates a policy with one key of this name.
    convenience init(key: String, name: String = "VIBE_AUTH_SECRET", trustedProxies: AddressRanges = AddressRanges([]))
    {
        self.init(
            keys: KeyTable(keys: [(name: name, secret: Array(key.utf8))]),
            failedTries: FailureLimiter.Rate(burst: 0, interval: .seconds(1)), trustedProxies: trustedProxies,
            origins: .none, pinsDirectories: true, isOpenCode1Compatible: true, limits: .ofTests, eventEncoding: .raw,
            accessLog: true)
    }
}

extension GatewayLimits {
    /// Creates limits that no test reaches.
    static var ofTests: Self {
        let day = Duration.seconds(86_400)
        return GatewayLimits(
            server: ServerLimits(
                headTimeout: day, idleTimeout: day, bodyTimeout: day, sendTimeout: day, maximumHead: 16 * 1024,
                maximumConnections: 100),
            answerTimeout: day, streamTimeout: day, streamBacklog: 1 << 20, streamStall: day, streamStart: day)
    }
}

/// A control plane without running projects. It may list some projects, or find some on the disk that it does not list
/// yet.
struct NoProjects: ProjectControl {
    var listed: [Project] = []
    var onDisk: [Project] = []
    var startAnswer = StartAnswer.notFound

    func start(_ name: ProjectName, for principal: Principal?) async -> StartAnswer { startAnswer }
    func stop(_ name: ProjectName, for principal: Principal?) async -> StopAnswer { .notFound }
    func history(of name: ProjectName) async -> InstanceRegistry.HistoryAnswer { .notFound }
    func status(_ name: ProjectName) async -> ProjectStatus? {
        onDisk.first { $0.folder.name == name }.map {
            ProjectStatus(
                project: $0, report: InstanceReport(state: "stopped", since: 0, restarts: 0, warnings: []))
        }
    }
    func answered(_ name: ProjectName, generation: UInt64) async {}
    func projects() async -> ProjectListing { .projects(listed) }
    func directories(of name: ProjectName) async -> DirectoryScope? { nil }
    func openCodeProject(_ lookup: ProjectLookup) async -> OpenCodeProject? { nil }
    func projectMayHaveChanged(of name: ProjectName, number: UInt64) async {}
}

extension RoutingTable {
    /// Returns a table with one ready instance. No test sends requests to this instance.
    static func ready(_ name: ProjectName, generation: UInt64 = 1) -> RoutingTable {
        let address = InstanceAddress.loopback(1)
        let endpoint = InstanceEndpoint(address: address, authorization: nil, generation: generation, slot: 0)
        return RoutingTable([Route(name: name, state: .ready(address: address), endpoint: endpoint)])
    }
}

/// Records the logged messages of a test.
struct LogKeeper: LogSink {
    let records = Recorded<LogRecord>("a line of the log")

    func write(_ record: LogRecord) { records.append(record) }
}

/// Runs a blocking function on a separate thread, because Swift's few threads are for asynchronous code.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        do {
            _ = try TestThread { continuation.resume(with: Swift.Result { try body() }) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
