import Instances
import Projects
import Testing

@Suite struct ProjectJSONTests {
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

    @Test func aFolderThatHasGoneSaysSoBehindTheContractsFields() throws {
        let folder = ProjectFolder(
            name: try #require(ProjectName("gone")), path: "/home/vibe/gone", hasGit: false, hasPackageJSON: false)
        let project = Project(folder: folder, state: .ready(port: 4096), isMissing: true)
        #expect(project.json.hasSuffix(#""is_running":true,"port":4096,"missing":true}"#))
    }
}
