import Foundation
import Glibc
import Homes
import Locking
import Testing

@testable import Supervisors

/// The projects' folder itself says whether a gateway has it.
@Suite struct FolderLockTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try home.makeFolder("projects")
        #expect(symlink("projects", home.path + "/link") == 0)
    }

    private func lock(_ path: String, _ kind: FolderLock.Kind) throws -> FolderLock? {
        try FolderLock(home.path + path, kind)
    }

    @Test(arguments: ["/projects", "/projects//", "/link", "/link/../projects"])
    func oneGatewayHasItHoweverItIsSpelt(path: String) throws {
        var lock = try lock("/projects", .exclusive)
        let error = #expect(throws: InstanceRecordError.self) { _ = try self.lock(path, .exclusive) }
        #expect(error?.description.hasPrefix("another gateway (process \(getpid())) already runs") == true)
        #expect(throws: InstanceRecordError.self) { _ = try self.lock(path, .shared) }
        #expect(lock != nil)
        lock = nil
        #expect(try self.lock(path, .exclusive) != nil)
    }

    /// A child has a copy of every descriptor until it begins its program.
    @Test func aLockThatIsLetGoIsFreeWhateverIsBeingStarted() throws {
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

    @Test func gatewaysWhoseServersAreUnitsShareIt() throws {
        let locks = [try lock("/projects", .shared), try lock("/link", .shared)]
        #expect(locks.allSatisfy { $0 != nil })
        #expect(throws: InstanceRecordError.self) { _ = try lock("/projects", .exclusive) }
        withExtendedLifetime(locks) {}
    }

    @Test func whatCannotBeLockedIsToldApart() throws { #expect(try lock("/none", .exclusive) == nil) }

    @Test func theHolderIsFoundAmongTheKernelsLocks() {
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
