// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Locking
import TemporaryHomes
import Testing

@testable import Supervisors

/// Tests that the lock on the projects' folder shows whether a gateway uses the folder.
@Suite struct FolderLockTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try home.makeFolder("projects")
        #expect(symlink("projects", home.path + "/link") == 0)
    }

    private func lock(_ path: String, _ kind: FolderLock.Kind) throws -> FolderLock? {
        guard case .locked(let lock) = try FolderLock.acquire(home.path + path, kind) else { return nil }
        return lock
    }

    @Test(arguments: ["/projects", "/projects//", "/link", "/link/../projects"])
    func `only one gateway can lock a home directory, regardless of how its path is written`(path: String) throws {
        var lock = try lock("/projects", .exclusive)
        let error = #expect(throws: InstanceRecordError.self) { _ = try self.lock(path, .exclusive) }

        #expect(error?.description.hasPrefix("another gateway (process \(getpid())) already runs") == true)
        #expect(throws: InstanceRecordError.self) { _ = try self.lock(path, .shared) }
        #expect(lock != nil)

        lock = nil

        #expect(try self.lock(path, .exclusive) != nil)
    }

    /// A child has a copy of every descriptor until the child executes its program.
    @Test func `a released lock is free even while child processes are being started`() throws {
        let isOver = Locked(false)
        let ended = DispatchSemaphore(value: 0)
        Thread {
            while !isOver.withLock({ $0 }) {
                let child = Process()
                child.executableURL = URL(filePath: "/bin/true")
                try? child.run()
                child.waitUntilExit()
            }
            ended.signal()
        }.start()
        defer {
            isOver.withLock { $0 = true }
            ended.wait()
        }

        for _ in 0..<20_000 { #expect(try lock("/projects", .exclusive) != nil) }
    }

    @Test func `gateways with units share the lock, and the lock excludes a gateway with child processes`() throws {
        let locks = [try lock("/projects", .shared), try lock("/link", .shared)]

        #expect(locks.allSatisfy { $0 != nil })
        #expect(throws: InstanceRecordError.self) { _ = try lock("/projects", .exclusive) }

        withExtendedLifetime(locks) {}
    }

    @Test func `an attempt to lock a missing directory is not an error`() throws {
        #expect(try lock("/none", .exclusive) == nil)
    }

    /// Every user can lock a folder that every user can open.
    @Test(.enabled(if: getuid() == 0, "only root can run a process as another user"), arguments: [false, true])
    func `a lock of another user does not prevent the gateway's start`(isHolderGone: Bool) throws {
        chmod(home.path, 0o755)
        chmod(home.path + "/projects", 0o755)
        let holder = Process()
        let output = Pipe()
        holder.executableURL = URL(filePath: "/usr/bin/setpriv")
        // A shell whose child acquires the lock keeps the lock after the child has ended, but the kernel still reports
        // the child as the holder.
        let take = "import fcntl; fcntl.flock(9, fcntl.LOCK_EX); print('held', flush=True)"
        let script =
            isHolderGone
            ? #"exec 9<"$1"; python3 -c "$2" >&2; echo held; read line"#
            : #"exec 9<"$1"; exec python3 -c "$2; input()""#
        holder.arguments = [
            "--reuid", "65534", "--regid", "65534", "--clear-groups", "sh", "-c", script, "sh", home.path + "/projects",
            take,
        ]
        let input = Pipe()
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        defer {
            try? input.fileHandleForWriting.close()
            holder.waitUntilExit()
        }
        _ = output.fileHandleForReading.availableData

        let attempt = try FolderLock.acquire(home.path + "/projects", .exclusive, ignoresEndedHolder: isHolderGone)

        guard case .lockedByOtherUser(let process) = attempt else {
            Issue.record("the attempt was \(attempt)")
            return
        }

        #expect((process == nil) == isHolderGone)
    }

    @Test func `the holder of a lock is found in the kernel's list of locks`() {
        let locks = """
            1: POSIX  ADVISORY  WRITE 10 08:01:77 0 EOF
            2: FLOCK  ADVISORY  WRITE 20 08:01:78 0 EOF
            2: -> FLOCK  ADVISORY  WRITE 30 08:01:77 0 EOF
            3: FLOCK  ADVISORY  READ  0 08:01:77 0 EOF
            4: FLOCK  ADVISORY  READ  40 08:01:77 0 EOF
            nonsense
            """

        #expect(FolderLock.holder(inode: 77, locks: locks) == 40)
        #expect(FolderLock.holder(inode: 79, locks: locks) == nil)
    }
}
