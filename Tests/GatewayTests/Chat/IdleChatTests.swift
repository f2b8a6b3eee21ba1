// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests the resources of chat sockets in a separate process without other traffic.
@Suite(.onTestThreads, .enabled(if: !Sanitizer.isActive)) struct IdleChatTests {
    private static let key = "a key that is long enough"

    /// A data plane whose chat echoes every message.
    private struct Program {
        let process: TestProcess
        let port: UInt16

        init() throws {
            process = try TestProcess(try BuiltProducts.path("chat-echo"), [IdleChatTests.key])
            let line = try process.waitForLine(on: .output, within: .seconds(30)) { $0.hasPrefix("port ") }
            port = try #require(UInt16(line.dropFirst(5)))
        }

        /// Opens a socket and exchanges one text on it.
        func open() throws -> TestConnection {
            let connection = try TestClient.connect(port: port)
            try connection.send(
                "GET", "/chat",
                headers: [("Authorization", "Bearer \(IdleChatTests.key)")] + TestConnection.webSocketUpgrade)
            #expect(try ResponseReader(connection).readHead().status == 101)
            try talk(connection)
            return connection
        }

        /// Sends a text and reads its echo.
        func talk(_ connection: TestConnection) throws {
            // This is a masked text of one byte (RFC 6455 §5.2), with a key of zeros.
            try connection.write([0x81, 0x81, 0, 0, 0, 0, 0x61])
            #expect(try connection.readExactly(3) == [0x81, 0x01, 0x61])
        }
    }

    @Test func `an idle socket uses at most 8 KiB`() throws {
        let program = try Program()
        defer { program.process.terminate() }
        let count = 300
        // The first sockets allocate the memory that all of them share.
        let first = try (0..<20).map { _ in try program.open() }
        let before = try program.process.residentMemory()
        let sockets = try (0..<count).map { _ in try program.open() }
        let each = (try program.process.residentMemory() - before) / count

        #expect(each <= 8 * 1024, "\(each) bytes")

        for socket in first + sockets { socket.close() }
    }

    @Test func `closed sockets release their memory and descriptors for others`() throws {
        let program = try Program()
        defer { program.process.terminate() }
        let witness = try program.open()
        var (descriptors, memory) = (0, 0)
        for round in 0..<8 {
            let sockets = try (0..<100).map { _ in try program.open() }
            // Count only after the first exchange: threads open descriptors when they first need them.
            if round == 0 { descriptors = try program.process.openDescriptors() - sockets.count }
            for socket in sockets { try socket.finish() }
            if round == 1 { memory = try program.process.residentMemory() }
        }

        #expect(try program.process.residentMemory() - memory < 2 << 20)

        // The client sees the end of a socket before the gateway has closed its descriptor. Each exchange gives the
        // loop an opportunity to close it.
        let deadline = Deadline(after: .seconds(30))
        while try program.process.openDescriptors() > descriptors, !deadline.hasPassed { try program.talk(witness) }

        #expect(try program.process.openDescriptors() <= descriptors)
    }
}
