import Foundation
import Instances
import Testing

@Suite struct ProjectCatalogueTests {
    private func names(_ catalogue: ProjectCatalogue) throws -> [String] { try catalogue.folders().map(\.name.string) }

    @Test func foldersAreSortedByTheirLowerCasedNames() throws {
        let home = try TemporaryHome()
        for name in ["beta", "Alpha", "gamma.js", "alpha2", "Übung", "with space", ".hidden"] {
            try home.makeFolder(name)
        }
        try home.makeFile("a-file")
        #expect(
            try names(ProjectCatalogue(home: home.path)) == [
                "Alpha", "alpha2", "beta", "gamma.js", "with space", "Übung",
            ])
    }

    @Test func gitAndPackageAreSeen() throws {
        let home = try TemporaryHome()
        try home.makeFolder("both/.git")
        try home.makeFile("both/package.json", "{}")
        try home.makeFolder("none")
        let path = home.path
        #expect(
            try ProjectCatalogue(home: home.path + "/").folders() == [
                ProjectFolder(
                    name: try #require(ProjectName("both")), path: "\(path)/both", hasGit: true, hasPackageJSON: true),
                ProjectFolder(
                    name: try #require(ProjectName("none")), path: "\(path)/none", hasGit: false,
                    hasPackageJSON: false),
            ])
    }

    @Test func linksCountOnlyWhenTheyStayInsideTheHomeDirectory() throws {
        let outside = try TemporaryHome()
        try outside.makeFolder("secret")
        let home = try TemporaryHome()
        try home.makeFolder("real/deep")
        try home.makeFile("file")
        try home.makeLink("inside", to: "real")
        try home.makeLink("deeper", to: "\(home.path)/real/deep")
        try home.makeLink("outside", to: "\(outside.path)/secret")
        try home.makeLink("around", to: "inside/../../\((outside.path as NSString).lastPathComponent)")
        try home.makeLink("second", to: "outside")
        try home.makeLink("up", to: "..")
        try home.makeLink("itself", to: ".")
        try home.makeLink("to-file", to: "file")
        try home.makeLink("broken", to: "nowhere")
        try home.makeLink("loop", to: "loop")
        let catalogue = ProjectCatalogue(home: home.path)
        #expect(try names(catalogue) == ["deeper", "inside", "real"])
        for name in ["outside", "around", "second", "up", "itself", "to-file", "broken", "loop", "file", "missing"] {
            #expect(catalogue.folder(named: try #require(ProjectName(name))) == nil, "\(name)")
        }
    }

    @Test func aHomeDirectoryMayBeALinkItself() throws {
        let home = try TemporaryHome()
        try home.makeFolder("real/alpha")
        try home.makeLink("link", to: "real")
        #expect(try names(ProjectCatalogue(home: "\(home.path)/link")) == ["alpha"])
    }

    @Test func aMissingHomeDirectoryIsAnError() {
        let error = #expect(throws: ProjectCatalogue.ListingError.self) {
            try ProjectCatalogue(home: "/nowhere").folders()
        }
        #expect(error?.description.contains("/nowhere") == true)
    }

    @Test func aNameThatIsNoUTF8IsLeftOut() throws {
        let home = try TemporaryHome()
        try home.makeFolder("good")
        let path = Array(home.path.utf8) + [UInt8(ascii: "/"), 0x62, 0xFF, 0]
        #expect(mkdir(path.map { CChar(bitPattern: $0) }, 0o755) == 0)
        #expect(try names(ProjectCatalogue(home: home.path)) == ["good"])
    }

    @Test func theJSONIsTheContracts() throws {
        let folder = ProjectFolder(
            name: try #require(ProjectName("a \"b\"\\ü")), path: "/home/vibe/a \"b\"\\ü", hasGit: true,
            hasPackageJSON: false)
        let running = Project(folder: folder, state: .ready(port: 4096))
        #expect(
            running.json
                == #"{"name":"a \"b\"\\ü","path":"/home/vibe/a \"b\"\\ü","has_git":true,"has_package_json":false,"#
                + #""is_running":true,"port":4096}"#)
        let booting = Project(folder: folder, state: .probing(port: 4096))
        #expect(booting.json.hasSuffix(#""is_running":false,"port":null}"#))
        #expect(Project.json([running, booting]) == "[\(running.json),\(booting.json)]")
        #expect(Project.json([]) == "[]")
    }
}
