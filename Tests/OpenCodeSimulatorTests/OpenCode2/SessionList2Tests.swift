// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the contents of a list of sessions in cases that the recordings do not contain.
@Suite("OpenCode 2's list of sessions", .onTestThreads)
struct SessionList2Tests {
    /// Creates four sessions, oldest first: two in the server's own directory, a child session, and a session in
    /// another directory.
    private static func make() throws -> (stage: Stage2, ids: [String]) {
        let stage = try Stage2()
        var ids: [String] = []
        for (name, folder) in [("One two", "demo"), ("Two", "demo"), ("Three", "demo/sub"), ("Four", "other.app")] {
            let body = #"{"title":"\#(name)","location":{"directory":"\#(stage.simulator.home.path)/\#(folder)"}}"#
            ids.append(try stage.simulator.post("/api/session", body).json["data"]?["id"]?.text ?? "")
            try wait(forMillisecondAfter: Clock.milliseconds)
        }
        return (stage, ids)
    }

    /// Waits for the next millisecond, because sessions are ordered by their time, which has a resolution of one
    /// millisecond.
    private static func wait(forMillisecondAfter time: Int) throws {
        while Clock.milliseconds == time {}
    }

    private static func ids(_ answer: TestResponse) -> [String] {
        (answer.json["data"]?.elements ?? []).compactMap { $0["id"]?.text }
    }

    @Test func `the list of sessions is filtered by directory, project, search, parent and limit`() throws {
        let (stage, ids) = try Self.make()
        let (home, simulator) = (stage.simulator.home.path, stage.simulator)
        let project = try simulator.get("/api/location").json["project"]?["id"]?.text ?? ""
        let list = { (query: String) in Self.ids(try simulator.get("/api/session?\(query)")) }

        #expect(try list("") == ids.reversed())
        #expect(try list("order=asc") == ids)
        #expect(try list("directory=\(home)/demo") == [ids[1], ids[0]])
        #expect(try list("directory=\(home)/demo/") == [])
        #expect(try list("directory=\(home)/demo/sub") == [ids[2]])
        #expect(try list("project=\(project)") == [ids[2], ids[1], ids[0]])
        #expect(try list("project=\(project)&directory=\(home)/other.app") == [])
        #expect(try list("search=two") == [ids[1], ids[0]])
        #expect(try list("parentID=null&limit=1") == [ids[3]])
        #expect(try list("parentID=\(ids[0])") == [])

        // Unknown names do not filter the list.
        for name in ["Directory", "directory[]", "location[directory]"] {
            #expect(try list("\(name)=\(home)/demo") == ids.reversed())
        }

        #expect(Self.ids(try simulator.get("//api/%73ession/;directory=\(home)/other.app")) == [ids[3]])
    }

    @Test func `a cursor overrides the directory and the order of the query`() throws {
        let (stage, ids) = try Self.make()
        let (home, simulator) = (stage.simulator.home.path, stage.simulator)
        let first = try simulator.get("/api/session?directory=\(home)/demo&limit=1")

        #expect(Self.ids(first) == [ids[1]])

        let next = first.json["cursor"]?["next"]?.text ?? ""
        let second = try simulator.get("/api/session?cursor=\(next)&directory=\(home)/other.app&order=asc")

        #expect(Self.ids(second) == [ids[0]])

        let previous = second.json["cursor"]?["previous"]?.text ?? ""

        #expect(Self.ids(try simulator.get("/api/session?cursor=\(previous)&limit=1")) == [ids[1]])

        let end = second.json["cursor"]?["next"]?.text ?? ""
        let nothing = try simulator.get("/api/session?cursor=\(end)").json

        #expect(nothing.encoded == #"{"data":[],"cursor":{"previous":null,"next":null}}"#)

        let cursor = Base64.decode(next).flatMap { try? JSONParser.parse($0) }

        #expect(cursor?["directory"]?.text == "\(home)/demo")
        #expect(cursor?["anchor"]?["direction"] == "next")
    }

    @Test func `the list of sessions has at most 50 entries unless a higher limit is requested`() throws {
        let stage = try Stage2()
        for _ in 0..<51 { try stage.simulator.post("/api/session", "{}") }

        #expect(Self.ids(try stage.simulator.get("/api/session")).count == 50)
        #expect(Self.ids(try stage.simulator.get("/api/session?limit=100")).count == 51)
        #expect(try stage.simulator.get("/api/session?limit=0").status == 400)
    }

    @Test func `only the body determines the directory of a new session`() throws {
        let stage = try Stage2()
        let elsewhere = "\(stage.simulator.home.path)/other.app"
        let answer = try stage.simulator.request(
            "POST", "/api/session?location[directory]=\(elsewhere)", #"{"id":"ses_mine"}"#,
            headers: [("x-opencode-directory", elsewhere)])

        #expect(answer.json["data"]?["location"]?["directory"]?.text == stage.simulator.directory)
        #expect(answer.json["data"]?["id"] == "ses_mine")
        // A request with the same id returns the same session.
        #expect(try stage.simulator.post("/api/session", #"{"id":"ses_mine"}"#).json == answer.json)

        let nowhere = try stage.simulator.post("/api/session", #"{"location":{"directory":""}}"#)

        #expect(nowhere.json["data"]?["location"]?["directory"]?.text == stage.simulator.directory)
    }
}
