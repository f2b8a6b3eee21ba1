// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances
import Locking
import Logging
import OpenCodeFamilies
import Projects
import TemporaryHomes
import Testing

/// Tests the requests for the configuration of a healthy instance, and when they are sent.
@Suite struct SetupTests {
    /// An instance's responses, and the requests that the instance received.
    private final class Instance: Sendable {
        let answers: Locked<[String: (Int, String)]>
        let queries = Locked<[String]>([])

        init(_ answers: [String: (Int, String)]) { self.answers = Locked(answers) }

        func reply(_ query: InstanceQuery) -> InstanceReply? {
            queries.withLock { $0.append(query.path) }
            return answers.withLock { $0[query.path] }.map { .init(status: $0.0, body: Array($0.1.utf8)) }
        }
    }

    private func ready(_ family: APIFamily, _ instance: Instance, interval: Duration = .seconds(60)) async throws
        -> SupervisedFixture
    {
        var limits = InstanceLimits()
        limits.healthInterval = interval
        let fixture = try await SupervisedFixture(limits: limits, inquire: { instance.reply($0) })
        fixture.ports.listen(on: 5000) { probe in
            .healthy(version: "x", enforcesPassword: true, path: family == .one ? .globalHealth : .info)
        }
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a")),
            .announced(run: "a", address: .loopback(5000), family: family))
        #expect(await fixture.reaches(.ready(address: .loopback(5000))))
        return fixture
    }

    private func warnings(_ fixture: SupervisedFixture, where isWanted: ([String]) -> Bool) async -> [String] {
        while true {
            let warnings = await fixture.registry.status(.alpha)?.report.warnings ?? []
            if isWanted(warnings) { return warnings }
            await Task.yield()
        }
    }

    @Test(arguments: [(APIFamily.one, "/config"), (.two, "/api/config")])
    func `a broken configuration becomes a warning after the instance has answered a request`(
        family: APIFamily, path: String
    ) async throws {
        let instance = Instance([path: (400, #"{"name":"ConfigJsonError","data":{"message":"not valid"}}"#)])
        let fixture = try await ready(family, instance)

        // The request would open the project's folder, which no client has requested yet.
        #expect(!instance.queries.withLock { $0.contains(path) })

        await fixture.registry.answered(.alpha, generation: 1)
        let warnings = await warnings(fixture) { !$0.isEmpty }

        #expect(warnings.first?.contains("(400, ConfigJsonError: not valid)") == true)
        #expect(fixture.lines.all.contains { $0.text(of: "reason").contains("ConfigJsonError") })

        // Every loop reports its first response. A report about an earlier run does not apply to the current run.
        await fixture.registry.answered(.alpha, generation: 1)
        await fixture.registry.answered(.alpha, generation: 0)

        #expect(instance.queries.withLock { $0.filter { $0 == path }.count } == 1)

        await fixture.tearDown()
    }

    @Test func `missing models cause a warning until OpenCode has a model`() async throws {
        let instance = Instance(["/api/model": (200, #"{"data":[]}"#)])
        let fixture = try await ready(.two, instance, interval: .milliseconds(20))
        await fixture.registry.answered(.alpha, generation: 1)

        #expect(await warnings(fixture) { !$0.isEmpty } == [InstanceMessage.noModels])

        instance.answers.withLock { $0["/api/model"] = (200, #"{"data":[{}]}"#) }

        #expect(await warnings(fixture) { $0.isEmpty } == [])

        await fixture.tearDown()
    }

    @Test func `a running migration causes a warning until it is complete`() async throws {
        let path = "/api/experimental/migration/v1"
        let instance = Instance([path: (200, #"{"status":"running","progress":{"label":"Sessions","numerator":3}}"#)])
        let fixture = try await ready(.two, instance, interval: .milliseconds(20))

        #expect(await warnings(fixture) { !$0.isEmpty }.first?.contains("Sessions 3") == true)

        instance.answers.withLock { $0[path] = (200, #"{"status":"completed"}"#) }

        #expect(await warnings(fixture) { $0.isEmpty } == [])

        let asked = instance.queries.withLock { $0.count }
        let health = fixture.ports.probes.withLock { $0 }
        while fixture.ports.probes.withLock({ $0 }) < health + 3 { await Task.yield() }

        #expect(instance.queries.withLock { $0.count } <= asked + 1, "it is not asked for any more")

        await fixture.tearDown()
    }

    @Test func `OpenCode 1 is not queried about a migration`() async throws {
        let instance = Instance([:])
        let fixture = try await ready(.one, instance)

        #expect(instance.queries.withLock { $0 } == [])

        await fixture.tearDown()
    }
}
