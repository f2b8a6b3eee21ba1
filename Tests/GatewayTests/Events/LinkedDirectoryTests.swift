import TestKit
import Testing

@testable import opencode_twin

/// A stream's directory in other spellings than the one that events have: all of them are served by the hub.
@Suite struct LinkedDirectoryTests {
    /// A rig whose project has a folder `sub`, and `link`, which leads there.
    private func rig(_ version: String) throws -> (rig: HubRig, sub: String) {
        let rig = try HubRig(version: version)
        let sub = try FileTree.resolve(try rig.gateway.home.makeDirectory("demo/sub"))
        try rig.gateway.link("demo/link", to: "sub")
        return (rig, sub)
    }

    @Test(arguments: ["/link", "/sub/", "/sub/.", "//sub", "/link/../sub", "/./link/"])
    func `every spelling of a directory gets its events with ids`(spelling: String) throws {
        let (rig, sub) = try rig("1.2.27")
        let client = try rig.open("/event?directory=\(rig.folder)\(spelling)")
        let named = try rig.open("/event", headers: [("x-opencode-directory", "\(rig.folder)\(spelling)")])
        for client in [client, named] { try client.connected() }

        rig.say(payload: HubRig.payload(1), in: sub)

        #expect(try client.numbers(1) == [1])
        #expect(try named.numbers(1) == [1])
        #expect(client.lastID != nil)
        #expect(named.lastID != nil)
        #expect(rig.instance.subscriptions.count == 1)
    }

    @Test(arguments: ["link", "sub", "./sub/"])
    func `a relative directory begins in the project's folder`(path: String) throws {
        let (rig, sub) = try rig("1.18.34")
        let client = try rig.open("/event?directory=\(path)")
        try client.connected()

        rig.say(payload: HubRig.payload(1), in: sub)

        #expect(try client.numbers(1) == [1])
        #expect(client.lastID != nil)
    }

    @Test func `a directory that is not there is made absolute only`() throws {
        let (rig, _) = try rig("1.18.34")
        let client = try rig.open("/event?directory=\(rig.folder)/missing/")
        try client.connected()

        rig.say(payload: HubRig.payload(1), in: "\(rig.folder)/missing")

        #expect(try client.numbers(1) == [1])
    }

    @Test func `OpenCode 1.1 compares the text of a request`() throws {
        let (rig, sub) = try rig("1.1.11")
        let link = "\(rig.folder)/link"
        let client = try rig.open("/event?directory=\(link)")
        try client.connected()

        rig.say(payload: HubRig.payload(1), in: sub)
        rig.say(payload: HubRig.payload(2), in: link)

        #expect(try client.numbers(1) == [2])
        #expect(client.lastID != nil)
    }

    // MARK: A project or a home folder that is a link

    private static let versions = ["1.2.27", "1.18.33", "2.0.15"]

    /// The next event of this type; nil if there is none within a minute.
    private func event(_ type: String, on client: StreamClient) throws -> StreamFrame? {
        let deadline = Deadline(after: TwinRig.patience)
        while !deadline.hasPassed, let event = try client.nextEvent(within: deadline.remaining) {
            if event.type == type { return event }
        }
        return nil
    }

    /// A session that is created through the path that `GET /projects` gives is announced on the stream of that path.
    private func expectEvents(of project: String, _ gateway: GatewayUnderTest) throws {
        let start = try gateway.request("POST", "/projects/\(project)/start", within: TwinRig.patience)
        #expect(start.status == 200)
        let projects = try gateway.request("GET", "/projects").json
        let path = try #require(projects.elements?.first { $0["name"]?.text == project }?["path"]?.text)
        let api = "/projects/\(project)/api"
        for target in ["\(api)/event?directory=\(path)", "\(api)/event"] {
            let client = try StreamClient(gateway, target)
            try client.connected()

            let created = try gateway.request(
                "POST", "\(api)/session?directory=\(path)", headers: [("Content-Type", "application/json")],
                body: Array("{}".utf8), within: TwinRig.patience)

            let session = try #require(created.json["id"]?.text)
            let announced = try #require(try self.event("session.created", on: client))
            #expect(announced.content["properties"]?["info"]?["id"]?.text == session)
            #expect(announced.id != nil)
        }
    }

    @Test(arguments: versions)
    func `a project that is a link has its events under its own path`(version: String) throws {
        let rig = try TwinRig(flags: ["--follow-links", "on"], environment: ["TWIN_PROFILE": version])
        let elsewhere = try TemporaryDirectory()
        try rig.gateway.link("linked", to: elsewhere.path)

        try expectEvents(of: "linked", rig.gateway)
    }

    @Test(arguments: versions)
    func `a home folder that is a link leaves no stream silent`(version: String) throws {
        let gateway = try GatewayUnderTest(
            environment: ["TWIN_PROFILE": version], opencode: try BuiltProducts.path("opencode-twin"), isHomeLink: true)
        try gateway.makeProject("demo")

        try expectEvents(of: "demo", gateway)
    }
}
