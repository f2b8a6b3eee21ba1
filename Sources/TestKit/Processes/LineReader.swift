import Glibc

/// Cuts what a child writes into lines, on a thread of its own.
final class LineReader: Sendable {
    /// Opened when everything that the child wrote before its exit has been recorded.
    let restIsRead = Latch("the rest of the child's output")
    private let descriptor: Int32
    private let record: @Sendable (String) -> Void

    /// Takes over the reading end of a pipe.
    init(owning descriptor: Int32, record: @escaping @Sendable (String) -> Void) {
        self.descriptor = descriptor
        self.record = record
    }

    deinit { _ = close(descriptor) }

    /// Reads until the pipe's end or until `stop` is woken. `exited` only marks the point for `restIsRead`: a grandchild
    /// may hold the pipe open for longer.
    func run(exited: WakePipe, stop: WakePipe) {
        defer { restIsRead.open() }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var line: [UInt8] = []
        var waitsForExit = true
        while true {
            // The exit before the pipe: poll(2) looks at them in this order, and what the child wrote last was there at its exit.
            var descriptors = [
                pollfd(fd: waitsForExit ? exited.readEnd : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            guard (try? SystemCall.wait(&descriptors, until: Deadline(after: .seconds(86_400)))) != nil else { return }
            if descriptors[1].revents != 0 {
                guard read(into: &line) else { return recordRest(of: &line) }
            } else if descriptors[0].revents != 0 {
                // The exit was seen and the pipe is empty: nothing of the child itself can follow. Its end may be long in
                // coming, for another child may have a copy of it, if only between fork and exec.
                waitsForExit = false
                recordRest(of: &line)
                restIsRead.open()
            } else if descriptors[2].revents != 0 {
                return
            }
        }
    }

    /// A last line that no line break ends.
    private func recordRest(of line: inout [UInt8]) {
        guard !line.isEmpty else { return }
        record(String(decoding: line, as: UTF8.self))
        line.removeAll()
    }

    private func read(into line: inout [UInt8]) -> Bool {
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
