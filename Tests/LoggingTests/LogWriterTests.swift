// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Locking
import Logging
import Testing

@Suite("The log writer")
struct LogWriterTests {
    /// An output that accepts nothing before it is opened, and that records what it has accepted.
    final class Gate: Sendable {
        struct State {
            var isOpen = false
            var error: Int32 = 0
            var arrived = 0
            var refused = 0
            var taken: [String] = []
        }
        let state = Monitor(State())

        func open(error: Int32 = 0) {
            state.withLock {
                $0.isOpen = true
                $0.error = error
            }
            state.notifyAll()
        }

        func send(_ bytes: ArraySlice<UInt8>) -> Int32 {
            state.withLock { $0.arrived += 1 }
            state.notifyAll()
            defer { state.notifyAll() }
            return state.wait(
                until: { $0.isOpen },
                then: { state in
                    if state.error == 0 {
                        state.taken.append(String(decoding: bytes, as: UTF8.self))
                    } else {
                        state.refused += 1
                    }
                    return state.error
                })
        }

        /// Returns whether this number of lines is accepted or rejected within the time limit.
        func has(taken: Int = 0, refused: Int = 0) -> Bool {
            state.wait(until: { $0.taken.count >= taken && $0.refused >= refused }, atMost: .seconds(60))
        }

        var taken: [String] { state.withLock { $0.taken } }
    }

    static func record(_ message: String) -> LogRecord {
        LogRecord(time: 0, level: .info, message: message)
    }

    static func writer(_ gate: Gate, limit: Int = LogWriter.defaultLimit) throws -> LogWriter {
        try LogWriter(
            encoder: .text(TextLogEncoder(offset: { _ in 0 })), output: .datagrams(send: { gate.send($0) }),
            limit: limit,
            now: { 0 })
    }

    static let prefix = "1970-01-01 00:00:00.000 "

    @Test func `lines from many threads reach a descriptor whole and in order`() async throws {
        let pipe = Pipe()
        let reading = pipe.fileHandleForReading
        let reader = Task.detached { try reading.readToEnd() ?? Data() }
        let writer = try LogWriter(
            encoder: .json(JSONLogEncoder()),
            output: .stream(descriptor: pipe.fileHandleForWriting.fileDescriptor))
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    for number in 0..<2_500 {
                        writer.write(
                            LogRecord(
                                time: 0, level: .info, message: "m",
                                fields: [LogField("part", part), LogField("number", number)]))
                    }
                }
            }
        }

        #expect(writer.close(atMost: .seconds(60)))

        try pipe.fileHandleForWriting.close()
        let lines = try await reader.value.split(separator: UInt8(ascii: "\n"))
        var numbers: [Int: [Int]] = [:]
        for line in lines {
            let object = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
            let (part, number) = (try #require(object["part"] as? Int), try #require(object["number"] as? Int))
            numbers[part, default: []].append(number)
        }

        #expect((0..<4).allSatisfy { numbers[$0] == Array(0..<2_500) })
    }

    @Test func `a blocked output does not delay callers, and dropped lines are counted in one line`() throws {
        let gate = Gate()
        let line = Self.prefix + "line 0\n"
        let writer = try Self.writer(gate, limit: 3 * line.utf8.count)
        writer.write(Self.record("first!"))
        gate.state.wait(until: { $0.arrived == 1 }, then: { _ in })
        // The output is processing the first line, and three more lines fit into the queue.
        for number in 0..<8 { writer.write(Self.record("line \(number)")) }
        gate.open()

        #expect(gate.has(taken: 5))

        let dropped = "warning: log lines dropped count=5"

        #expect(gate.taken == ["first!", "line 0", "line 1", "line 2", dropped].map { Self.prefix + $0 + "\n" })

        writer.write(Self.record("after"))

        #expect(writer.close(atMost: .seconds(60)))
        #expect(gate.taken.last == Self.prefix + "after\n")
    }

    @Test func `each record is one datagram`() throws {
        let gate = Gate()
        let writer = try Self.writer(gate)
        for number in 0..<3 { writer.write(Self.record("\(number)")) }
        gate.open()

        #expect(writer.close(atMost: .seconds(60)))
        #expect(gate.taken == ["0", "1", "2"].map { Self.prefix + $0 + "\n" })
    }

    @Test func `lines that an output rejects are counted once it accepts lines again`() throws {
        let gate = Gate()
        gate.open(error: ENOBUFS)
        let writer = try Self.writer(gate)
        writer.write(Self.record("one"))

        #expect(gate.has(refused: 1))

        // This line is rejected together with the report about the first one, so two lines are missing now.
        writer.write(Self.record("two"))

        #expect(gate.has(refused: 3))

        gate.open()
        writer.write(Self.record("three"))

        #expect(writer.close(atMost: .seconds(60)))
        #expect(gate.taken.count == 2)
        #expect(gate.taken.last?.hasSuffix("count=2\n") == true)
    }

    @Test func `a closed output does not prevent the writer from ending`() throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let writer = try LogWriter(
            encoder: .json(JSONLogEncoder()),
            output: .stream(descriptor: pipe.fileHandleForWriting.fileDescriptor))
        writer.write(Self.record("lost"))

        #expect(writer.close(atMost: .seconds(60)))
    }

    @Test func `a close times out on a blocked output and succeeds when it is repeated`() throws {
        let gate = Gate()
        let writer = try Self.writer(gate)
        writer.write(Self.record("stuck"))

        #expect(!writer.close(atMost: .milliseconds(20)))

        gate.open()

        #expect(writer.close(atMost: .seconds(60)))

        writer.write(Self.record("too late"))

        #expect(gate.taken == [Self.prefix + "stuck\n"])
    }

    @Test func `lines after the close are dropped silently`() throws {
        let gate = Gate()
        gate.open()
        let writer = try Self.writer(gate)

        #expect(writer.close(atMost: .seconds(60)))

        writer.write(Self.record("late"))

        #expect(writer.close(atMost: .seconds(60)))
        #expect(gate.taken.isEmpty)
    }
}
