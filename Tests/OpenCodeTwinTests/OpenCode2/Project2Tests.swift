import TestKit
import Testing

@testable import opencode_twin

@Suite("Folders, projects and worktrees of OpenCode 2")
struct Project2Tests {
    private func project(_ twin: Twin2Process, _ directory: String? = nil) throws -> JSON {
        let query = directory.map { "?location[directory]=\($0)" } ?? ""
        return try twin.get("/api/location\(query)").json["project"] ?? .null
    }

    @Test func aProjectIsNamedByItsFirstCommit() throws {
        let twin = try Twin2Process { home in
            try home.write("1\n", to: "demo/sub/file")
            try Repository.make(at: "\(home.path)/demo")
            try Repository.commit(at: "\(home.path)/demo")
        }
        let first = try Repository.git(["rev-list", "--max-parents=0", "HEAD"], in: twin.directory)[0]
        #expect(try project(twin)["id"]?.text == first)
        // A clone has the same, a folder below it too.
        try Repository.git(["clone", "--quiet", twin.directory, "\(twin.home.path)/clone"], in: twin.home.path)
        #expect(try project(twin, "\(twin.home.path)/clone")["id"]?.text == first)
        let inner = try project(twin, "\(twin.directory)/sub")
        #expect(inner["id"]?.text == first)
        #expect(inner["directory"]?.text == twin.directory)
    }

    /// Recorded: SHA-1 of these words.
    @Test func aFolderWithoutGitIsNamedByItsPath() throws {
        let twin = try Twin2Process()
        #expect(try project(twin)["id"]?.text == SHA1.hexadecimal("directory:\(twin.directory)"))
        #expect(SHA1.hexadecimal("directory:/home/vibe/goes") == "be30285f7390e4da3ce85d6fcdfba68e50e4eac5")
    }

    @Test func theFirstCommitGivesAName() throws {
        let twin = try Twin2Process { try Repository.git(["init", "--quiet"], in: "\($0.path)/demo") }
        #expect(try project(twin)["id"] == "global")
        let stream = try twin.events()
        try Repository.commit(at: twin.directory)
        let id = try project(twin)["id"]?.text
        #expect(id?.utf8.count == 40)
        let event = try stream.first("a change of the project") { $0.contains("project.updated") }
        #expect(event.contains(id ?? "?"))
    }

    @Test func aWorktreeIsGitsOwn() throws {
        let twin = try Twin2Process { home in
            try home.write("1\n", to: "demo/file")
            try Repository.make(at: "\(home.path)/demo")
        }
        let stream = try twin.events()
        let id = try #require(try project(twin)["id"]?.text)
        let made = try twin.post("/api/worktree", #"{"projectID":"\#(id)","name":"try"}"#).json["directory"]?.text
        let folder = "\(twin.home.path)/.local/share/opencode/worktree/\(id.prefix(6))/try"
        #expect(made == folder)
        let link = String(decoding: try FileTree.read("\(twin.directory)/.git/worktrees/try/gitdir"), as: UTF8.self)
        #expect(link == "\(folder)/.git\n")
        #expect(try FileTree.read("\(folder)/file") == [49, 10])
        let event = try stream.first("a change of worktrees") { $0.contains("worktree.updated") }
        #expect(!event.contains("location") && event.contains(id))
        let there = try project(twin, folder)
        #expect(there["id"]?.text == id)
        #expect(there["canonical"]?.text == twin.directory)
        // The next server knows it from git.
        let next = try Twin2Process(home: twin.home)
        let list = try next.get("/api/worktree?projectID=\(id)").json
        #expect(list == [["directory": .string(folder), "strategy": "git"], ["directory": .string(twin.directory)]])
        // Another name of the same, and one that leads out.
        #expect(try twin.post("/api/worktree", #"{"projectID":"\#(id)","name":"try"}"#).status == 400)
        #expect(try twin.post("/api/worktree", #"{"projectID":"\#(id)","name":"../x"}"#).status == 400)
        try FileTree.write("2\n", to: "\(folder)/file")
        let remove = #"{"projectID":"\#(id)","directory":"\#(folder)","force":FORCE}"#
        let refusal = try twin.request("DELETE", "/api/worktree", remove.replacing("FORCE", with: "false"))
        #expect(refusal.json["data"]?["forceRequired"] == true)
        #expect(try twin.request("DELETE", "/api/worktree", remove.replacing("FORCE", with: "true")).status == 204)
        #expect(throws: TestKitError.self) { try FileTree.names(in: folder) }
    }

    @Test func worktreesThatGitLearnsOfAreFoundWhenAsked() throws {
        let twin = try Twin2Process { home in try Repository.make(at: "\(home.path)/demo") }
        let id = try project(twin)["id"]?.text ?? ""
        let list = { try twin.get("/api/worktree?projectID=\(id)").json.elements?.count }
        #expect(try list() == 1)
        try Repository.git(["worktree", "add", "--quiet", "\(twin.home.path)/other"], in: twin.directory)
        #expect(try list() == 1)
        #expect(try twin.post("/api/worktree/refresh", #"{"projectID":"\#(id)"}"#).status == 204)
        #expect(try list() == 2)
        #expect(try twin.get("/api/worktree?projectID=nobody").json["_tag"] == "ProjectNotFoundError")
    }

    @Test func dataMayLieElsewhere() throws {
        let elsewhere = try TemporaryDirectory()
        let twin = try Twin2Process(environment: ["XDG_DATA_HOME": elsewhere.path]) { home in
            try Repository.make(at: "\(home.path)/demo")
        }
        let id = try project(twin)["id"]?.text ?? ""
        let made = try twin.post("/api/worktree", #"{"projectID":"\#(id)"}"#).json["directory"]?.text
        #expect(made?.hasPrefix("\(elsewhere.path)/opencode/worktree/") == true)
    }

    @Test func aBrokenConfigurationLeavesNoModels() throws {
        let twin = try Twin2Process { try $0.write("{ this is not json", to: "demo/opencode.json") }
        #expect(try twin.get("/api/model").json["data"] == [])
        #expect(try twin.get("/api/agent").json["data"]?.elements?.isEmpty == false)
        #expect(try twin.get("/api/config").json.elements?.count == 1)
        try twin.home.write(#"{"share":"disabled"}"#, to: "demo/opencode.json")
        #expect(try twin.get("/api/model").json["data"]?.elements?.isEmpty == false)
        #expect(try twin.get("/api/config").json.elements?.last?["info"] == ["share": "disabled"])
    }

    @Test func aFolderIsEmptyUntilItIsLoaded() throws {
        let twin = try Twin2Process(pace: 200)
        let stream = try twin.events()
        #expect(try twin.get("/api/model").json["data"] == [])
        #expect(try twin.get("/api/model/default").json["data"] == .null)
        try stream.first("the models") { $0.contains("model.updated") }
        #expect(try twin.get("/api/model").json["data"] != [])
        try stream.first("the end of loading") { $0.contains("plugin.updated") }
        #expect(try twin.get("/api/model/default").json["data"]?["id"] == "talk")
    }

    @Test(arguments: Misbehaviour.Migration.allCases)
    func theMigrationMayBeUnderWay(state: Misbehaviour.Migration) throws {
        let twin = try Twin2Process(misbehave: "migration=\(state)")
        let answer = try twin.get("/api/experimental/migration/v1").json
        #expect(answer["status"]?.text == state.rawValue)
        let form = DocumentedOperation.all.first { $0.path == "/api/experimental/migration/v1" }?.form
        #expect(try #require(form).faults(answer) == [])
    }

    @Test func filesAreReadAndFoundBelowTheFolder() throws {
        let twin = try Twin2Process { home in
            try home.write("a\n", to: "demo/src/main.txt")
            try home.write("b\n", to: "demo/Read.me")
            try home.write("secret\n", to: "outside")
        }
        #expect(try twin.get("/api/fs/read/src/main.txt").text == "a\n")
        #expect(try twin.get("/api/fs/read/src%2Fmain.txt").text == "a\n")
        #expect(try twin.get("/api/fs/read/..%2Foutside").status == 500)
        #expect(try twin.get("/api/fs/read/gone.txt").json["_tag"] == "FileNotFoundError")
        let paths = { (target: String) in try twin.get(target).json["data"]?.elements?.compactMap { $0["path"]?.text } }
        #expect(try paths("/api/fs/list") == ["src/", "Read.me"])
        #expect(try paths("/api/fs/list?path=src") == ["src/main.txt"])
        #expect(try paths("/api/fs/list?path=..") == ["./", "../outside"])
        #expect(try paths("/api/fs/find?query=m") == ["Read.me", "src/main.txt"])
        #expect(try paths("/api/fs/find?query=m&limit=1") == ["Read.me"])
        #expect(try paths("/api/fs/find?query=s&type=directory") == ["src/"])
        #expect(try twin.get("/api/fs/find").status == 400)
    }
}
