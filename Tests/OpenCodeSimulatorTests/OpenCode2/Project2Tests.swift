// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Directories, projects and worktrees of OpenCode 2", .onTestThreads)
struct Project2Tests {
    private func project(_ simulator: Simulator2Process, _ directory: String? = nil) throws -> JSON {
        let query = directory.map { "?location[directory]=\($0)" } ?? ""
        return try simulator.get("/api/location\(query)").json["project"] ?? .null
    }

    @Test func `the id of a project is its first commit, also in clones and subdirectories`() throws {
        let simulator = try Simulator2Process { home in
            try home.write("1\n", to: "demo/sub/file")
            try Repository.make(at: "\(home.path)/demo")
            try Repository.commit(at: "\(home.path)/demo")
        }
        let first = try Repository.git(["rev-list", "--max-parents=0", "HEAD"], in: simulator.directory)[0]

        #expect(try project(simulator)["id"]?.text == first)

        // A clone has the same ID, and so does a folder below it.
        try Repository.git(
            ["clone", "--quiet", simulator.directory, "\(simulator.home.path)/clone"], in: simulator.home.path)

        #expect(try project(simulator, "\(simulator.home.path)/clone")["id"]?.text == first)

        let inner = try project(simulator, "\(simulator.directory)/sub")

        #expect(inner["id"]?.text == first)
        #expect(inner["directory"]?.text == simulator.directory)
    }

    /// As in the recordings, the ID is the SHA-1 digest of these words.
    @Test func `the project id of a directory without git is the SHA-1 of its path`() throws {
        let simulator = try Simulator2Process()

        #expect(try project(simulator)["id"]?.text == SHA1.hexadecimal("directory:\(simulator.directory)"))
        #expect(SHA1.hexadecimal("directory:/home/vibe/goes") == "be30285f7390e4da3ce85d6fcdfba68e50e4eac5")
    }

    @Test func `the first commit changes a project's id and emits project.updated`() throws {
        let simulator = try Simulator2Process { try Repository.git(["init", "--quiet"], in: "\($0.path)/demo") }

        #expect(try project(simulator)["id"] == "global")

        let stream = try simulator.events()
        try Repository.commit(at: simulator.directory)
        let id = try project(simulator)["id"]?.text

        #expect(id?.utf8.count == 40)

        let event = try stream.first("a change of the project") { $0.contains("project.updated") }

        #expect(event.contains(id ?? "?"))
    }

    @Test func `a worktree is created, listed and removed in git`() throws {
        let simulator = try Simulator2Process { home in
            try home.write("1\n", to: "demo/file")
            try Repository.make(at: "\(home.path)/demo")
        }
        let stream = try simulator.events()
        let id = try #require(try project(simulator)["id"]?.text)
        let made = try simulator.post("/api/worktree", #"{"projectID":"\#(id)","name":"try"}"#).json["directory"]?.text
        let folder = "\(simulator.home.path)/.local/share/opencode/worktree/\(id.prefix(6))/try"

        #expect(made == folder)

        let link = String(
            decoding: try FileTree.contents("\(simulator.directory)/.git/worktrees/try/gitdir"), as: UTF8.self)

        #expect(link == "\(folder)/.git\n")
        #expect(try FileTree.contents("\(folder)/file") == [49, 10])

        let event = try stream.first("a change of worktrees") { $0.contains("worktree.updated") }

        #expect(!event.contains("location"))
        #expect(event.contains(id))

        let there = try project(simulator, folder)

        #expect(there["id"]?.text == id)
        #expect(there["canonical"]?.text == simulator.directory)

        // The next server reads the worktree from git's files.
        let next = try Simulator2Process(home: simulator.home)
        let list = try next.get("/api/worktree?projectID=\(id)").json

        #expect(
            list == [["directory": .string(folder), "strategy": "git"], ["directory": .string(simulator.directory)]])
        // Request another worktree with the same name, and a name that leads out of the folder.
        #expect(try simulator.post("/api/worktree", #"{"projectID":"\#(id)","name":"try"}"#).status == 400)
        #expect(try simulator.post("/api/worktree", #"{"projectID":"\#(id)","name":"../x"}"#).status == 400)

        try FileTree.write("2\n", to: "\(folder)/file")
        let remove = #"{"projectID":"\#(id)","directory":"\#(folder)","force":FORCE}"#
        let refusal = try simulator.request("DELETE", "/api/worktree", remove.replacing("FORCE", with: "false"))

        #expect(refusal.json["data"]?["forceRequired"] == true)
        #expect(try simulator.request("DELETE", "/api/worktree", remove.replacing("FORCE", with: "true")).status == 204)
        #expect(throws: TestKitError.self) { try FileTree.names(in: folder) }
    }

    @Test func `a worktree that git adds is listed only after a refresh`() throws {
        let simulator = try Simulator2Process { home in try Repository.make(at: "\(home.path)/demo") }
        let id = try project(simulator)["id"]?.text ?? ""
        let list = { try simulator.get("/api/worktree?projectID=\(id)").json.elements?.count }

        #expect(try list() == 1)

        try Repository.git(["worktree", "add", "--quiet", "\(simulator.home.path)/other"], in: simulator.directory)

        #expect(try list() == 1)
        #expect(try simulator.post("/api/worktree/refresh", #"{"projectID":"\#(id)"}"#).status == 204)
        #expect(try list() == 2)
        #expect(try simulator.get("/api/worktree?projectID=unknown").json["_tag"] == "ProjectNotFoundError")
    }

    @Test func `worktrees are created below XDG_DATA_HOME`() throws {
        let elsewhere = try TemporaryDirectory()
        let simulator = try Simulator2Process(environment: ["XDG_DATA_HOME": elsewhere.path]) { home in
            try Repository.make(at: "\(home.path)/demo")
        }
        let id = try project(simulator)["id"]?.text ?? ""
        let made = try simulator.post("/api/worktree", #"{"projectID":"\#(id)"}"#).json["directory"]?.text

        #expect(made?.hasPrefix("\(elsewhere.path)/opencode/worktree/") == true)
    }

    @Test func `a project has no models while its opencode.json is broken`() throws {
        let simulator = try Simulator2Process { try $0.write("{ this is not json", to: "demo/opencode.json") }

        #expect(try simulator.get("/api/model").json["data"] == [])
        #expect(try simulator.get("/api/agent").json["data"]?.elements?.isEmpty == false)
        #expect(try simulator.get("/api/config").json.elements?.count == 1)

        try simulator.home.write(#"{"share":"disabled"}"#, to: "demo/opencode.json")

        #expect(try simulator.get("/api/model").json["data"]?.elements?.isEmpty == false)
        #expect(try simulator.get("/api/config").json.elements?.last?["info"] == ["share": "disabled"])
    }

    @Test func `a directory has no models until it is loaded`() throws {
        let simulator = try Simulator2Process(pace: 200)
        let stream = try simulator.events()

        #expect(try simulator.get("/api/model").json["data"] == [])
        #expect(try simulator.get("/api/model/default").json["data"] == .null)

        try stream.first("the models") { $0.contains("model.updated") }

        #expect(try simulator.get("/api/model").json["data"] != [])

        try stream.first("the end of loading") { $0.contains("plugin.updated") }

        #expect(try simulator.get("/api/model/default").json["data"]?["id"] == "talk")
    }

    @Test(arguments: Misbehaviour.Migration.allCases)
    func `each configured migration state is reported in the document's schema`(state: Misbehaviour.Migration) throws {
        let simulator = try Simulator2Process(misbehave: "migration=\(state)")
        let answer = try simulator.get("/api/experimental/migration/v1").json

        #expect(answer["status"]?.text == state.rawValue)

        let schema = DocumentedOperation.all.first { $0.path == "/api/experimental/migration/v1" }?.schema

        #expect(try #require(schema).faults(answer) == [])
    }

    @Test func `files below the directory are read, listed and searched, and reading outside it fails`() throws {
        let simulator = try Simulator2Process { home in
            try home.write("a\n", to: "demo/src/main.txt")
            try home.write("b\n", to: "demo/Read.me")
            try home.write("secret\n", to: "outside")
        }

        #expect(try simulator.get("/api/fs/read/src/main.txt").text == "a\n")
        #expect(try simulator.get("/api/fs/read/src%2Fmain.txt").text == "a\n")
        #expect(try simulator.get("/api/fs/read/..%2Foutside").status == 500)
        #expect(try simulator.get("/api/fs/read/gone.txt").json["_tag"] == "FileNotFoundError")

        let paths = { (target: String) in
            try simulator.get(target).json["data"]?.elements?.compactMap { $0["path"]?.text }
        }

        #expect(try paths("/api/fs/list") == ["src/", "Read.me"])
        #expect(try paths("/api/fs/list?path=src") == ["src/main.txt"])
        #expect(try paths("/api/fs/list?path=..") == ["./", "../outside"])
        #expect(try paths("/api/fs/find?query=m") == ["Read.me", "src/main.txt"])
        #expect(try paths("/api/fs/find?query=m&limit=1") == ["Read.me"])
        #expect(try paths("/api/fs/find?query=s&type=directory") == ["src/"])
        #expect(try simulator.get("/api/fs/find").status == 400)
    }
}
