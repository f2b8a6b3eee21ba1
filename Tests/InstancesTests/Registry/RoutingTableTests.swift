// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances
import Projects
import TemporaryHomes
import Testing

@Suite struct RoutingTableTests {
    private func table(_ names: [String]) throws -> RoutingTable {
        RoutingTable(
            try names.enumerated().map { index, name in
                let endpoint = InstanceEndpoint(
                    address: .loopback(UInt16(5000 + index)), authorization: [], generation: UInt64(index), slot: index)
                return RoutingTable.Route(
                    name: try #require(ProjectName(name)), state: .ready(address: endpoint.address), endpoint: endpoint)
            })
    }

    @Test func `each name finds its own instance, percent-encoded or not`() throws {
        let names = ["gamma", "alpha", "alpha2", "my app", "Grüße", "a%20b", "a b"] + (0..<100).map { "p\($0)" }
        let table = try table(names)

        for (index, name) in names.enumerated() {
            let port = UInt16(5000 + index)
            let encoded = name.utf8.flatMap { Array("%\($0 < 16 ? "0" : "")\(String($0, radix: 16))".utf8) }
            #expect(table.endpoint(forSegment: encoded[...])?.address.port == port, "\(name)")
            #expect(table.route(forSegment: encoded[...])?.name == ProjectName(name))
            if !name.contains("%") { #expect(table.endpoint(forSegment: Array(name.utf8)[...])?.address.port == port) }
        }
    }

    @Test(arguments: ["", "alph", "alpha3", "zzz", "a%20b", "%2e%2e", "alpha%2F", "alpha%", ".."])
    func `a segment that names no project finds no route`(segment: String) throws {
        #expect(try table(["alpha", "beta"]).route(forSegment: Array(segment.utf8)[...]) == nil)
    }

    @Test func `a slice of a request target finds its instance`() throws {
        let target = Array("/projects/alpha/api/session".utf8)

        #expect(try table(["alpha"]).endpoint(forSegment: target[10..<15])?.address.port == 5000)
        #expect(RoutingTable.empty.route(forSegment: target[10..<15]) == nil)
    }

    @Test func `a name may be a project if its folder or its instance exists`() throws {
        let (alpha, beta, gamma) = (ProjectName.alpha, ProjectName.beta, try #require(ProjectName("gamma")))
        let routes = [RoutingTable.Route(name: alpha, state: .ready(address: .loopback(1)), endpoint: nil)]
        let table = RoutingTable(routes, projects: [beta])

        #expect([alpha, beta, gamma].map { table.mayBeProject($0) } == [true, true, false])
        // Before the file system has been read, no project counts as missing.
        #expect(RoutingTable(routes).mayBeProject(gamma))
    }

    @Test func `an endpoint's description omits its password`() {
        let endpoint = InstanceEndpoint(
            address: .loopback(1), authorization: Array("Basic c2VjcmV0".utf8), generation: 7, slot: 0)
        var dumped = ""
        dump(endpoint, to: &dumped)

        #expect("\(endpoint)" == "127.0.0.1:1 (generation 7)")
        #expect(!dumped.contains("authorization"))
    }
}
