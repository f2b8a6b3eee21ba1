// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests that only the gateway that owns the state keeps events in the state folder. Another gateway keeps its events
/// in memory until it owns the state.
@Suite(.onTestThreads) struct StateEventsTests {
    private let directory: TemporaryDirectory
    private var folder: String { "\(directory.path)/state" }
    private var flags: [String] { ["--state-dir", folder] }
    private static let opened = "events are kept on the disk"

    init() throws { directory = try TemporaryDirectory() }

    /// Returns all event files with their content.
    private func files() throws -> [String: Data] {
        let events = "\(folder)/events"
        return try (FileManager.default.subpaths(atPath: events) ?? []).reduce(into: [:]) { result, name in
            guard name.hasSuffix(".events") else { return }
            result[name] = try Data(contentsOf: URL(fileURLWithPath: "\(events)/\(name)"))
        }
    }

    private func isKept(_ number: Int) throws -> Bool {
        let text = Data("\"n\":\"\(number)\"".utf8)
        return try files().contains { $0.key.hasPrefix("demo/") && $0.value.range(of: text) != nil }
    }

    @Test(.timeLimit(.minutes(5))) func `a second gateway does not change the first one's event files`() throws {
        let first = try HubFixture(flags: flags)
        first.sendEvents(1...3)
        try first.waitUntilReceived(3)
        let before = try files()

        #expect(try isKept(3))
        #expect(before.keys.contains { $0.hasPrefix(".index/") })

        let second = try HubFixture(flags: flags)
        second.sendEvents(11...13)
        try second.waitUntilReceived(13)

        #expect(try files() == before)

        let status = try second.gateway.request("GET", "/projects/demo/status").text
        let sentence =
            "Events are kept in memory only: Another gateway (process \(first.gateway.process.pid)) uses \(folder)/state.db."

        #expect(status.contains(sentence), "\(status)")

        // The first gateway continues in its own files.
        first.sendEvents(4...4)
        try first.waitUntilReceived(4)

        #expect(try isKept(4))
        #expect(try Set(files().keys) == Set(before.keys))

        // The second gateway uses the files after the first one has ended.
        #expect(try first.gateway.terminate() == .exited(0))

        try second.gateway.waitForLog(Self.opened)
        second.sendEvents(14...14)
        try second.waitUntilReceived(14)

        #expect(try isKept(14))

        let reader = try second.openGatewayStream("?since=2000-01-01T00:00:00Z")

        #expect(try reader.numbers(4) == [1, 2, 3, 4])

        // The first gateway has stopped its instance.
        while let frame = try reader.nextEvent() {
            guard let gap = frame.gap else {
                #expect(frame.number == 11)
                break
            }
            #expect(["stopped", "gateway-restarted"].contains(gap["reason"]?.text), "\(gap)")
        }

        #expect(try reader.numbers(3) == [12, 13, 14])
        #expect(try !second.gateway.request("GET", "/projects/demo/status").text.contains("in memory only"))

        try second.gateway.terminate()
    }

    @Test(.timeLimit(.minutes(5)))
    func `events are written to disk after the permissions of the state directory are fixed`() throws {
        try directory.makeDirectory("state")
        chmod(folder, 0o777)
        let fixture = try HubFixture(flags: flags)
        fixture.sendEvents(1...3)
        try fixture.waitUntilReceived(3)

        #expect(access("\(folder)/events", F_OK) != 0)

        chmod(folder, 0o700)
        try fixture.gateway.waitForLog(Self.opened)

        // The earlier events are in memory until then.
        #expect(try isKept(3))

        fixture.sendEvents(4...4)
        try fixture.waitUntilReceived(4)

        #expect(try isKept(4))

        try fixture.gateway.terminate()
    }

    @Test func `with a damaged state.db, events are in memory only, and the status reports it`() throws {
        try directory.makeDirectory("state")
        chmod(folder, 0o700)
        let path = try directory.write(String(repeating: "no database ", count: 500), to: "state/state.db", mode: 0o600)
        let fixture = try HubFixture(flags: flags)
        fixture.sendEvents(1...3)
        try fixture.waitUntilReceived(3)

        #expect(access("\(folder)/events", F_OK) != 0)

        let status = try fixture.gateway.request("GET", "/projects/demo/status").text

        #expect(status.contains("Events are kept in memory only: \(path) is damaged"), "\(status)")

        try fixture.gateway.terminate()
    }
}
