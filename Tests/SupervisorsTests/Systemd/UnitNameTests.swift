// SPDX-License-Identifier: Apache-2.0

import Instances
import Projects
import Supervisors
import Testing

@Suite("Names of units")
struct UnitNameTests {
    private func name(_ folder: String) throws -> ProjectName { try #require(ProjectName(folder)) }

    /// The expected values are the output of `systemd-escape --template=opencode@.service -- FOLDER`.
    @Test(arguments: [
        ("alpha", "opencode@alpha.service"),
        ("my.app", "opencode@my.app.service"),
        ("my_app", "opencode@my_app.service"),
        ("a-b", #"opencode@a\x2db.service"#),
        ("a b", #"opencode@a\x20b.service"#),
        ("a@b", #"opencode@a\x40b.service"#),
        ("ü", #"opencode@\xc3\xbc.service"#),
        ("a:b_C9", "opencode@a:b_C9.service"),
        ("-", #"opencode@\x2d.service"#),
        (#"*?[\$%"#, #"opencode@\x2a\x3f\x5b\x5c\x24\x25.service"#),
        (#"a\x2db"#, #"opencode@a\x5cx2db.service"#),
        ("50%i'\"", #"opencode@50\x25i\x27\x22.service"#),
    ])
    func `the unit name is the folder's name escaped as by systemd-escape`(folder: String, unit: String) throws {
        #expect(try UnitName(name(folder)).string == unit)
        #expect(UnitName(unit: unit)?.project == ProjectName(folder))
    }

    @Test func `every valid folder name of two bytes has its own unit name and survives a round trip`() throws {
        var units: Set<String> = []
        var folders = 0
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                guard let folder = ProjectName(directoryName: [first, second]) else { continue }
                folders += 1
                let unit = try UnitName(folder)
                #expect(UnitName(unit: unit.string) == unit)
                #expect(UnitName.project(instance: unit.instance) == folder)
                #expect(unit.string.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
                units.insert(unit.string)
            }
        }

        #expect(units.count == folders, "no two folders share a unit")
        #expect(folders > 8_000)
    }

    @Test func `a folder name too long for a unit is an error that suggests renaming the folder`() throws {
        #expect(try UnitName(name(String(repeating: "a", count: 238))).string.utf8.count == 255)

        let error = #expect(throws: LaunchError.self) { try UnitName(name(String(repeating: "a", count: 239))) }

        #expect(error?.description.contains("256 bytes") == true)
        #expect(error?.description.contains("Rename the folder") == true)
        #expect(throws: LaunchError.self) { try UnitName(name(String(repeating: "-", count: 60))) }
        #expect(UnitName(unit: "opencode@" + String(repeating: "a", count: 239) + ".service") == nil)
    }

    @Test(arguments: [
        "opencode@.service", "opencode.service", "opencode@a.socket", "other@a.service", "opencode@a",
        "opencode@a-b.service", #"opencode@\x2fetc.service"#, #"opencode@.hidden.service"#,
        #"opencode@\x2ehidden.service"#, #"opencode@a\b.service"#, #"opencode@a\x2.service"#, #"opencode@\xff.service"#,
        #"opencode@\x61.service"#, #"opencode@\xC3\xBC.service"#, "opencode@a b.service", "opencode@ü.service",
    ])
    func `each unit name that belongs to no project is rejected`(unit: String) {
        #expect(UnitName(unit: unit) == nil)
    }

    @Test(arguments: [
        (unit: "opencode@my_app.service", meant: ["my app", "my-app", "my.app"]),
        (unit: "opencode@my-app.service", meant: ["my-app"]),
        (unit: "opencode@a_b_c.service", meant: ["a-b c"]),
        (unit: "opencode@my.app.service", meant: []),
        (unit: "opencode@myXapp.service", meant: []),
        (unit: "opencode@under_score.service", meant: []),
        (unit: "other@my_app.service", meant: []),
    ])
    func `units named by the original gateway or without escaping are matched to their folders`(
        unit: String, meant: [String]
    ) throws {
        let folders = try ["my app", "my.app", "my-app", "under_score", "under.score", "a-b c"].map(name)

        #expect(UnitName.mistaken(unit, among: folders).map(\.string).sorted() == meant.sorted())
    }
}
