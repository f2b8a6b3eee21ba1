// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Splits the output of a child into lines on a dedicated thread.
final class LineReader: Sendable {
    /// A latch that opens when everything that the child wrote before its exit has been recorded.
    let isRemainderRead = Latch("the rest of the child's output")
    private let descriptor: Int32
    private let record: @Sendable (String) -> Void

    /// Takes ownership of the read end of a pipe.
    init(owning descriptor: Int32, record: @escaping @Sendable (String) -> Void) {
        self.descriptor = descriptor
        self.record = record
    }

    deinit { _ = close(descriptor) }

    /// Reads until the end of the pipe or until `stop` is woken. `exited` only determines when `isRemainderRead` opens,
    /// because a grandchild may keep the pipe open for longer.
    func run(exited: WakePipe, stop: WakePipe) {
        defer { isRemainderRead.open() }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var line: [UInt8] = []
        var waitsForExit = true
        while true {
            // The descriptor of the exit precedes the descriptor of the pipe, because poll(2) checks descriptors in the
            // order of its array. The child's last output was in the pipe at its exit.
            var descriptors = [
                pollfd(fd: waitsForExit ? exited.readEnd : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            guard (try? SystemCall.wait(&descriptors, until: Deadline(after: .seconds(86_400)))) != nil else { return }
            if descriptors[1].revents != 0 {
                guard readLine(into: &line) else { return recordRemainder(of: &line) }
            } else if descriptors[0].revents != 0 {
                // The exit was observed and the pipe is empty, so the child itself cannot write anything more. The end
                // of the pipe may still be far away, because another child may have a copy of the descriptor, at least
                // between fork and exec.
                waitsForExit = false
                recordRemainder(of: &line)
                isRemainderRead.open()
            } else if descriptors[2].revents != 0 {
                return
            }
        }
    }

    /// Records a last line that has no line break.
    private func recordRemainder(of line: inout [UInt8]) {
        guard !line.isEmpty else { return }
        record(String(decoding: line, as: UTF8.self))
        line.removeAll()
    }

    private func readLine(into line: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0 { return errno == EAGAIN || errno == EINTR }
        if count == 0 { return false }
        for byte in buffer[..<count] {
            if byte == UInt8(ascii: "\n") {
                record(String(decoding: line, as: UTF8.self))
                line.removeAll(keepingCapacity: true)
            } else {
                line.append(byte)
            }
        }
        return true
    }
}
