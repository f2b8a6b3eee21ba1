// SPDX-License-Identifier: Apache-2.0

import Addresses
import HTTPServer
import Instances
import Projects
import Testing

@testable import GatewayCore

@Suite struct ProjectMemberTests {
    private func json(_ project: Project) -> String { ProjectMember.object(project) }

    @Test func `a project's JSON has exactly the members of the API contract`() throws {
        let folder = ProjectFolder(
            name: try #require(ProjectName("a \"b\"\\ü")), path: "/home/vibe/a \"b\"\\ü", hasGit: true,
            hasPackageJSON: false)
        let running = Project(folder: folder, state: .ready(address: .loopback(4096)))

        #expect(
            json(running)
                == #"{"name":"a \"b\"\\ü","path":"/home/vibe/a \"b\"\\ü","has_git":true,"has_package_json":false,"#
                + #""is_running":true,"port":4096}"#)

        let booting = Project(folder: folder, state: .probing(address: .loopback(4096)))

        #expect(json(booting).hasSuffix(#""is_running":false,"port":null}"#))

        guard case .answer(let list) = ControlAnswers.projects(.projects([running, booting])) else {
            Issue.record("The list is not an answer.")
            return
        }

        #expect(String(decoding: list.body, as: UTF8.self) == "[\(json(running)),\(json(booting))]")
    }

    @Test func `a project whose folder is missing has the additional last member missing`() throws {
        let folder = ProjectFolder(
            name: try #require(ProjectName("gone")), path: "/home/vibe/gone", hasGit: false, hasPackageJSON: false)
        let project = Project(folder: folder, state: .ready(address: .loopback(4096)), isMissing: true)

        #expect(json(project).hasSuffix(#""is_running":true,"port":4096,"missing":true}"#))
    }

    @Test func `every project member belongs to the list or to the status report`() {
        #expect(ProjectMember.listed + ProjectMember.reported == ProjectMember.allCases)
    }
}
