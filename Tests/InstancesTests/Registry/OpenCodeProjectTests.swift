// SPDX-License-Identifier: Apache-2.0

import Addresses
import Foundation
import Instances
import Locking
import OpenCodeFamilies
import Projects
import TemporaryHomes
import Testing

/// Tests the request for the OpenCode project of an instance's folder: the project is requested once when it is needed,
/// and again when it may have changed.
@Suite(.timeLimit(.minutes(5))) struct OpenCodeProjectTests {
    /// The responses of instances by port, and the requests that they received.
    private final class Instances: Sendable {
        /// The project ID of each port, and the folders of each ID.
        let projects = Locked<[UInt16: String]>([:])
        let folders = Locked<[String]>([])
        let queries = Locked<[String]>([])
        /// Whether requests for the folders remain unanswered.
        let isMute = Locked(false)

        func reply(_ query: InstanceQuery) -> InstanceReply? {
            guard !query.path.contains("config"), !query.path.contains("migration"), !query.path.contains("model")
            else { return nil }
            queries.withLock { $0.append("\(query.address.port)\(query.path)") }
            let paths = folders.withLock { $0 }
            if query.path.hasPrefix("/api/worktree?projectID=") {
                if isMute.withLock({ $0 }) { return nil }
                let folders = paths.map { #"{"directory":"\#($0)"}"# }
                return .init(status: 200, body: Array("[\(folders.joined(separator: ","))]".utf8))
            }
            guard let id = projects.withLock({ $0[query.address.port] }) else { return nil }
            switch query.path {
            case "/api/location":
                return .init(status: 200, body: Array(#"{"directory":"/x","project":{"id":"\#(id)"}}"#.utf8))
            case "/project/current":
                let folders = paths.map { "\"\($0)\"" }.joined(separator: ",")
                return .init(
                    status: 200, body: Array(#"{"id":"\#(id)","worktree":"/","sandboxes":[\#(folders)]}"#.utf8))
            default: return .init(status: 404, body: [])
            }
        }

        func set(_ port: UInt16, _ id: String?) { projects.withLock { $0[port] = id } }
        var all: [String] { queries.withLock { $0 } }
        func count(_ query: String) -> Int { all.count { $0 == query } }
    }

    private func fixture(_ instances: Instances, _ projects: [String] = ["alpha", "beta"]) async throws
        -> SupervisedFixture
    {
        let fixture = try await SupervisedFixture(projects: projects, inquire: { instances.reply($0) })
        for port in [UInt16(5000), 5001] {
            fixture.ports.listen(on: port) { _ in .healthy(version: "x", enforcesPassword: true, path: .info) }
        }
        return fixture
    }

    /// Starts an instance and returns the number of its run.
    @discardableResult
    private func start(
        _ fixture: SupervisedFixture, _ name: ProjectName, _ run: String, _ port: UInt16, _ family: APIFamily = .two
    ) async -> UInt64 {
        fixture.ports.listen(on: port) { _ in
            .healthy(version: "x", enforcesPassword: true, path: family == .two ? .info : .globalHealth)
        }
        await fixture.supervisor.report(
            name, .launched(SupervisedFixture.run(run)), .announced(run: run, address: .loopback(port), family: family))
        return await fixture.route(to: name) { $0.endpoint?.address.port == port }?.endpoint?.generation ?? 0
    }

    private func openCodeProject(
        _ fixture: SupervisedFixture, _ name: ProjectName, isWatched: Bool = true, newerThan: UInt64 = 0
    )
        async
        -> OpenCodeProject?
    {
        await fixture.registry.openCodeProject(ProjectLookup(name: name, isWatched: isWatched, newerThan: newerThan))
    }

    private func sharing(_ fixture: SupervisedFixture, _ name: ProjectName) async -> [String] {
        await fixture.registry.status(name)?.report.warnings.filter { $0.contains("one project") } ?? []
    }

    @Test func `the OpenCode project is requested when it is needed, not when the instance is ready`() async throws {
        let instances = Instances()
        let fixture = try await fixture(instances, ["alpha"])
        instances.set(5000, "p1")
        await start(fixture, .alpha, "a", 5000)

        #expect(instances.all == [])

        let project = try #require(await openCodeProject(fixture, .alpha))

        #expect(project.id == Array("p1".utf8))
        #expect(project.directory == Array("\(fixture.home.path)/alpha".utf8))
        #expect(!project.isShared)

        for _ in 0..<10 { #expect(await openCodeProject(fixture, .alpha) == project) }

        #expect(await openCodeProject(fixture, .alpha, isWatched: false) == project)
        #expect(instances.all == ["5000/api/location"])
        #expect(await sharing(fixture, .alpha) == [])

        await fixture.tearDown()
    }

    @Test func `concurrent callers share one request for the OpenCode project`() async throws {
        let instances = Instances()
        let fixture = try await fixture(instances)
        instances.set(5000, "p1")
        await start(fixture, .alpha, "a", 5000)
        let answers = await withTaskGroup(of: OpenCodeProject?.self) { group in
            for _ in 0..<50 { group.addTask { await openCodeProject(fixture, .alpha) } }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(answers.allSatisfy { $0 == answers[0] && $0 != nil })
        #expect(instances.count("5000/api/location") == 1)

        await fixture.tearDown()
    }

    @Test func `an OpenCode project that may have changed is requested again`() async throws {
        let instances = Instances()
        let fixture = try await fixture(instances, ["alpha"])
        instances.set(5000, "global")
        await start(fixture, .alpha, "a", 5000)
        let first = try #require(await openCodeProject(fixture, .alpha))

        #expect(first.isShared)

        _ = await fixture.route(to: .alpha) { $0.openCodeProject == first }
        instances.set(5000, "p1")
        await fixture.registry.projectMayHaveChanged(of: .alpha, number: first.number)
        _ = await fixture.route(to: .alpha) { $0.openCodeProject == nil }
        let second = try #require(await openCodeProject(fixture, .alpha))

        #expect(second.id == Array("p1".utf8))
        #expect(!second.isShared)
        #expect(second.number > first.number)

        // A late report about the old response does not affect the new response.
        await fixture.registry.projectMayHaveChanged(of: .alpha, number: first.number)

        #expect(await openCodeProject(fixture, .alpha) == second)

        instances.set(5000, "p2")

        #expect(await openCodeProject(fixture, .alpha, newerThan: second.number)?.id == Array("p2".utf8))
        #expect(instances.count("5000/api/location") == 3)

        await fixture.tearDown()
    }

    /// Yields `times` times, so that requests arrive before, during and after the response to another request.
    private static func giveWay(_ times: Int) async {
        for _ in 0..<times { await Task.yield() }
    }

    @Test func `each waiting caller receives a project even if it may have changed since`() async throws {
        let instances = Instances()
        let fixture = try await SupervisedFixture(
            projects: ["alpha"],
            inquire: { query in
                await Self.giveWay(20)
                return instances.reply(query)
            })
        instances.set(5000, "p1")
        await start(fixture, .alpha, "a", 5000)

        for round in 0..<50 {
            let last = await openCodeProject(fixture, .alpha)?.number ?? 0
            await fixture.registry.projectMayHaveChanged(of: .alpha, number: last)
            let answers = await withTaskGroup(of: OpenCodeProject?.self) { group in
                for pause in 0..<40 {
                    group.addTask {
                        await Self.giveWay(pause)
                        // Every third request has seen events that are newer than the response that the others wait
                        // for.
                        return await openCodeProject(fixture, .alpha, newerThan: pause.isMultiple(of: 3) ? last + 1 : 0)
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0 != nil }, "round \(round)")
        }
        await fixture.tearDown()
    }

    @Test func `the OpenCode project is requested again for another run`() async throws {
        let instances = Instances()
        let fixture = try await fixture(instances, ["alpha"])
        instances.set(5000, "p1")
        instances.set(5001, "p2")
        await start(fixture, .alpha, "a", 5000)

        #expect(await openCodeProject(fixture, .alpha)?.id == Array("p1".utf8))

        await fixture.supervisor.report(.alpha, .exited("a", .stopped))
        await start(fixture, .alpha, "b", 5001)

        #expect(await openCodeProject(fixture, .alpha)?.id == Array("p2".utf8))

        await fixture.tearDown()
    }

    @Test func `an instance that does not respond is not queried again at once`() async throws {
        let instances = Instances()
        let fixture = try await fixture(instances, ["alpha"])
        await start(fixture, .alpha, "a", 5000)
        for _ in 0..<5 { #expect(await openCodeProject(fixture, .alpha) == nil) }

        #expect(instances.all == ["5000/api/location"])
        #expect(await openCodeProject(fixture, .beta) == nil)

        await fixture.tearDown()
    }

    @Test(arguments: [APIFamily.one, .two])
    func `a project is shared with another instance that has served a client and has the same id`(family: APIFamily)
        async throws
    {
        let instances = Instances()
        let fixture = try await fixture(instances)
        for port in [UInt16(5000), 5001] { instances.set(port, "p1") }
        await start(fixture, .alpha, "a", 5000, family)
        let generation = await start(fixture, .beta, "b", 5001, family)

        // The request would open the folder of the other instance, which has not responded to a client yet.
        #expect(await openCodeProject(fixture, .alpha)?.isShared == false)
        #expect(!instances.all.contains { $0.hasPrefix("5001") })

        await fixture.registry.answered(.beta, generation: generation)
        // The folder is now open in the other instance, so the registry queries both instances before it uses a
        // response.
        _ = await fixture.route(to: .alpha) { $0.openCodeProject == nil }

        #expect(await openCodeProject(fixture, .alpha)?.isShared == true)

        _ = await fixture.route(to: .alpha) { $0.openCodeProject?.isShared == true }

        #expect(await openCodeProject(fixture, .beta)?.isShared == true)
        #expect(await sharing(fixture, .alpha).first?.contains("beta") == true)
        #expect(await sharing(fixture, .beta).first?.contains("alpha") == true)

        let paths = Set(instances.all.map { $0.dropFirst(4) })

        // OpenCode 1.1 and 1.2 would forward a request for a path below /api to another server.
        #expect(family == .two || paths == ["/project/current"])

        // The project of a folder outlives its server.
        await fixture.supervisor.report(.beta, .exited("b", .stopped))

        #expect(await openCodeProject(fixture, .alpha)?.isShared == true)

        await fixture.tearDown()
    }

    @Test(arguments: [APIFamily.one, .two])
    func `a project is shared if its instance lists the folder of a stopped project`(family: APIFamily) async throws {
        let instances = Instances()
        let fixture = try await fixture(instances)
        instances.set(5000, "p1")
        instances.folders.withLock {
            $0 = ["\(fixture.home.path)/alpha", "\(fixture.home.path)/.trees/x", "/elsewhere"]
        }
        await start(fixture, .alpha, "a", 5000, family)

        #expect(await openCodeProject(fixture, .alpha)?.isShared == false)

        instances.folders.withLock { $0.append("\(fixture.home.path)/beta/sub") }
        let number = try #require(await openCodeProject(fixture, .alpha)).number

        #expect(await openCodeProject(fixture, .alpha, newerThan: number)?.isShared == true)
        #expect(await sharing(fixture, .alpha).first?.contains("beta") == true)
        #expect(instances.count("5000/api/worktree?projectID=p1") == (family == .two ? 2 : 0))

        await fixture.tearDown()
    }

    @Test func `a project counts as unshared if the other instance does not respond`() async throws {
        let instances = Instances()
        let fixture = try await fixture(instances)
        instances.set(5000, "p1")
        await start(fixture, .alpha, "a", 5000)
        let generation = await start(fixture, .beta, "b", 5001)
        await fixture.registry.answered(.beta, generation: generation)
        for _ in 0..<5 { #expect(await openCodeProject(fixture, .alpha)?.isShared == false) }

        // The registry does not query the instance for every request.
        #expect(instances.count("5001/api/location") == 1)

        await fixture.tearDown()
    }

    @Test func `a project counts as shared if its instance does not list the project's directories`() async throws {
        let instances = Instances()
        let fixture = try await fixture(instances)
        instances.set(5000, "p1")
        instances.isMute.withLock { $0 = true }
        await start(fixture, .alpha, "a", 5000)

        #expect(await openCodeProject(fixture, .alpha)?.isShared == true)
        #expect(await sharing(fixture, .alpha) == [])

        await fixture.tearDown()
    }

    @Test func `the global project is shared without a query to other instances and without a warning`() async throws {
        let instances = Instances()
        let fixture = try await fixture(instances)
        for port in [UInt16(5000), 5001] { instances.set(port, "global") }
        await start(fixture, .alpha, "a", 5000)
        await start(fixture, .beta, "b", 5001)

        #expect(await openCodeProject(fixture, .alpha)?.isShared == true)
        // No other instance needs to be queried for this.
        #expect(instances.all == ["5000/api/location"])
        #expect(await openCodeProject(fixture, .beta)?.isShared == true)
        #expect(await sharing(fixture, .alpha) == [])

        await fixture.tearDown()
    }

    @Test func `a short query on behalf of another instance does not shorten the instance's own query`() async throws {
        let instances = Instances()
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let (end, over) = AsyncStream.makeStream(of: Void.self)
        let fixture = try await SupervisedFixture(
            projects: ["alpha", "beta"],
            inquire: { query in
                // The instance needs three seconds for this response.
                guard query.address.port == 5001, query.timeout < .seconds(3) else {
                    return instances.reply(query)
                }
                ask.yield()
                for await _ in end {}
                return nil
            })
        instances.set(5000, "p1")
        instances.set(5001, "p2")
        await start(fixture, .alpha, "a", 5000)
        let generation = await start(fixture, .beta, "b", 5001)
        await fixture.registry.answered(.beta, generation: generation)
        async let others = openCodeProject(fixture, .alpha)
        for await _ in asked { break }
        // Send the requests during the other request and shortly afterwards.
        async let its = openCodeProject(fixture, .beta)
        for _ in 0..<10 { _ = await fixture.registry.status(.beta) }
        over.finish()

        #expect(await its?.id == Array("p2".utf8))
        #expect(await openCodeProject(fixture, .beta, isWatched: false)?.id == Array("p2".utf8))
        #expect(await others?.id == Array("p1".utf8))

        await fixture.tearDown()
    }
}
