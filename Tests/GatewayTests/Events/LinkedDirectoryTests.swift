// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests spellings of a stream's directory that differ from the spelling in events. The hub serves all of them.
@Suite(.onTestThreads) struct LinkedDirectoryTests {
    /// Creates a fixture whose project has a folder `sub`, and a link to it named `link`.
    private func fixture(_ version: String) throws -> (fixture: HubFixture, sub: String) {
        let fixture = try HubFixture(version: version)
        let sub = try FileTree.resolve(try fixture.gateway.home.makeDirectory("demo/sub"))
        try fixture.gateway.link("demo/link", to: "sub")
        return (fixture, sub)
    }

    @Test(arguments: ["/link", "/sub/", "/sub/.", "//sub", "/link/../sub", "/./link/"])
    func `every spelling of a directory receives its events with ids`(spelling: String) throws {
        let (fixture, sub) = try fixture("1.2.27")
        let client = try fixture.open("/event?directory=\(fixture.folder)\(spelling)")
        let named = try fixture.open("/event", headers: [("x-opencode-directory", "\(fixture.folder)\(spelling)")])
        for client in [client, named] { try client.connected() }

        fixture.sendEvent(payload: HubFixture.payload(1), in: sub)

        #expect(try client.numbers(1) == [1])
        #expect(try named.numbers(1) == [1])
        #expect(client.lastID != nil)
        #expect(named.lastID != nil)
        #expect(fixture.instance.events.openings.count == 1)
    }

    @Test(arguments: ["link", "sub", "./sub/"])
    func `a relative directory begins in the project's folder`(path: String) throws {
        let (fixture, sub) = try fixture("1.18.34")
        let client = try fixture.open("/event?directory=\(path)")
        try client.connected()

        fixture.sendEvent(payload: HubFixture.payload(1), in: sub)

        #expect(try client.numbers(1) == [1])
        #expect(client.lastID != nil)
    }

    @Test func `the path of a missing directory is only made absolute`() throws {
        let (fixture, _) = try fixture("1.18.34")
        let client = try fixture.open("/event?directory=\(fixture.folder)/missing/")
        try client.connected()

        fixture.sendEvent(payload: HubFixture.payload(1), in: "\(fixture.folder)/missing")

        #expect(try client.numbers(1) == [1])
    }

    @Test func `OpenCode 1.1 compares the directory as the request spells it`() throws {
        let (fixture, sub) = try fixture("1.1.11")
        let link = "\(fixture.folder)/link"
        let client = try fixture.open("/event?directory=\(link)")
        try client.connected()

        fixture.sendEvent(payload: HubFixture.payload(1), in: sub)
        fixture.sendEvent(payload: HubFixture.payload(2), in: link)

        #expect(try client.numbers(1) == [2])
        #expect(client.lastID != nil)
    }

    // MARK: A project or a home directory that is a link

    private static let versions = ["1.2.27", "1.18.33", "2.0.15"]

    /// Returns the next event of this type; nil if there is none within a minute.
    private func event(_ type: String, on client: StreamClient) throws -> StreamFrame? {
        let deadline = Deadline(after: SimulatorFixture.patience)
        while !deadline.hasPassed, let event = try client.nextEvent(within: deadline.remaining) {
            if event.type == type { return event }
        }
        return nil
    }

    /// Expects that a session created with the path from `GET /projects` is announced on the stream of that path.
    private func expectEvents(of project: String, _ gateway: GatewayUnderTest) throws {
        let start = try gateway.request("POST", "/projects/\(project)/start", within: SimulatorFixture.patience)
        #expect(start.status == 200)
        let projects = try gateway.request("GET", "/projects").json
        let path = try #require(projects.elements?.first { $0["name"]?.text == project }?["path"]?.text)
        let api = "/projects/\(project)/api"
        for target in ["\(api)/event?directory=\(path)", "\(api)/event"] {
            let client = try StreamClient(gateway, target)
            try client.connected()

            let created = try gateway.request(
                "POST", "\(api)/session?directory=\(path)", headers: [("Content-Type", "application/json")],
                body: Array("{}".utf8), within: SimulatorFixture.patience)

            let session = try #require(created.json["id"]?.text)
            let announced = try #require(try self.event("session.created", on: client))
            #expect(announced.content["properties"]?["info"]?["id"]?.text == session)
            #expect(announced.id != nil)
        }
    }

    @Test(arguments: versions)
    func `a project that is a link has its events under its own path`(version: String) throws {
        let fixture = try SimulatorFixture(
            flags: ["--follow-links", "on"], environment: ["SIMULATOR_PROFILE": version])
        let elsewhere = try TemporaryDirectory()
        try fixture.gateway.link("linked", to: elsewhere.path)

        try expectEvents(of: "linked", fixture.gateway)
    }

    @Test(arguments: versions)
    func `events reach every stream if the home directory is a link`(version: String) throws {
        let gateway = try GatewayUnderTest(
            environment: ["SIMULATOR_PROFILE": version], opencode: try BuiltProducts.path("opencode-simulator"),
            isHomeLink: true)
        try gateway.makeProject("demo")

        try expectEvents(of: "demo", gateway)
    }
}
