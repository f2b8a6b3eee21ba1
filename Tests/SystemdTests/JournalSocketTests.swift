// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Systemd
import Testing

@Suite("The journal's socket")
struct JournalSocketTests {
    /// A datagram socket that is bound to a path and replaces journald.
    final class Listener {
        let path: String
        let descriptor: Int32

        init(path: String) throws {
            self.path = path
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(result == 0)
        }

        deinit {
            close(descriptor)
            unlink(path)
        }

        func receive() -> String {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
    }

    static func temporaryPath() -> String {
        FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)").path
    }

    @Test func `each entry is one datagram, even after journald has recreated its socket`() throws {
        let path = Self.temporaryPath()
        let journal = try #require(JournalSocket(path: path))
        do {
            let listener = try Listener(path: path)
            #expect(journal.send(Array("MESSAGE=one\n".utf8)[...]) == 0)
            #expect(journal.send(Array("_MESSAGE=two\n".utf8)[1...]) == 0)
            #expect(listener.receive() == "MESSAGE=one\n")
            #expect(listener.receive() == "MESSAGE=two\n")
        }

        #expect(journal.send([0x41]) == ENOENT)

        let listener = try Listener(path: path)

        #expect(journal.send(Array("MESSAGE=three\n".utf8)[...]) == 0)
        #expect(listener.receive() == "MESSAGE=three\n")
    }

    @Test func `a failed send returns its error number`() throws {
        let path = Self.temporaryPath()
        let listener = try Listener(path: path)
        let journal = try #require(JournalSocket(path: path))

        #expect(journal.send([UInt8](repeating: 0x41, count: 16 << 20)[...]) == EMSGSIZE)
        #expect(listener.receive() == "")

        let long = try #require(JournalSocket(path: "/" + String(repeating: "x", count: 200)))

        #expect(long.send([0x41]) == ENAMETOOLONG)
    }
}
