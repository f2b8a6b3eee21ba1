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
}
