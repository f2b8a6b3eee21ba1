// SPDX-License-Identifier: Apache-2.0

import Instances
import Logging
import Projects
import Testing

@testable import ConversationServing

@Suite(.timeLimit(.minutes(5))) struct ProjectChoiceTests {
    private static func project(_ name: String) throws -> Project {
        let folder = ProjectFolder(
            name: try #require(ProjectName(name)), path: "/home/vibe/\(name)", hasGit: false, hasPackageJSON: false)
        return Project(folder: folder, state: .stopped)
    }

    private static func choice(
        _ named: String?, listed: [Project] = [], onDisk: [Project] = []
    ) async throws -> String {
        let control = NoProjects(listed: listed, onDisk: onDisk)
        let service = try ConversationService(
            ConversationSetUp(project: nil, home: "/home/vibe", store: nil, version: "1"), control: control,
            log: Logger(sink: LogKeeper(), level: .error))
        service.follow(RoutingTable([], projects: []))
        let choice = await service.choose(named, for: nil, control)
        service.stop()
        switch choice {
        case .project(let name): return "project \(name.string)"
        case .unknown(let name): return "unknown \(name)"
        case .unspecified: return "unsaid"
        }
    }

    /// The list comes from memory, which inotify(7) updates shortly after the folder was created.
    @Test func `a named project is found on the disk before the list contains it`() async throws {
        #expect(try await Self.choice("new", onDisk: [Self.project("new")]) == "project new")
    }

    @Test func `a named project that is not on the disk is unknown`() async throws {
        #expect(try await Self.choice("new", listed: [Self.project("other")]) == "unknown new")
        #expect(try await Self.choice("..", onDisk: [Self.project("new")]) == "unknown ..")
    }

    @Test func `the only listed project is chosen if none is named`() async throws {
        #expect(try await Self.choice(nil, listed: [Self.project("one")]) == "project one")
        #expect(try await Self.choice("", listed: [Self.project("one")]) == "project one")
        #expect(try await Self.choice(nil, listed: [Self.project("one"), Self.project("two")]) == "unsaid")
        #expect(try await Self.choice(nil) == "unsaid")
    }
}
