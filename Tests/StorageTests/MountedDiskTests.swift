// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// Tests disks that are really full or read-only. They are small disks in memory, mounted where only the program under
/// test sees them.
@Suite(.enabled(if: MountNamespace.isAllowed, "mounting takes root"))
struct MountedDiskTests {
    private let directory: TemporaryDirectory
    private var path: String { "\(directory.path)/state/state.db" }

    init() throws { directory = try TemporaryDirectory() }

    /// Runs the writer after `preparation`, on a disk of this size that is mounted on the directory.
    private func run(_ command: String, size: String, _ preparation: String = "true") throws -> [String] {
        let script = """
            set -e
            mount -t tmpfs -o size=\(size),mode=0700 none '\(directory.path)'
            cd '\(directory.path)'
            \(preparation)
            exec '\(try BuiltProducts.path("storage-writer"))' \(command) '\(directory.path)/state'
            """
        let process = try TestProcess("/usr/bin/unshare", ["-m", "sh", "-c", script])
        try process.waitForExit(within: .seconds(60))
        return process.lines(of: .output)
    }

    private var isFull: String {
        "\(path) cannot be written: the disk is full. Free space on the disk (`df \(path)`)."
    }

    @Test func `writes that fail on a full disk are kept and written once there is room`() throws {
        let lines = try run("fill", size: "2m", "head -c 1m /dev/zero >ballast")

        #expect(lines.prefix(3) == ["open", "fails: \(isFull)", "stopped: full \(isFull)"])
        // Two threads print these lines, so the test may find written data before the writer has reported that it
        // continues.
        #expect(Set(lines.dropFirst(3)) == ["writes again", "kept true"])
        #expect(lines.count == 5)
    }

    @Test func `opening a store on a full disk fails with an error that names the cause`() throws {
        let lines = try run("disk", size: "64k", "head -c 1m /dev/zero >ballast 2>/dev/null || true")

        #expect(lines.count == 1)
        #expect(lines.first?.contains("cannot be written: the disk is full.") == true, "\(lines)")
    }

    @Test func `the error for a state directory on a read-only file system names the directory`() throws {
        let lines = try run("disk", size: "1m", "mount -o remount,ro '\(directory.path)'")
        let folder = "\(directory.path)/state"

        #expect(
            lines == [
                "error: \(folder) cannot be written: its file system is read-only. Mount the file system for writing, "
                    + "or set --state-dir to another directory."
            ])
    }

    @Test func `opening an existing file on a read-only file system is an error that names the cause`() throws {
        let writer = try BuiltProducts.path("storage-writer")
        let lines = try run(
            "disk", size: "4m",
            """
            '\(writer)' hold '\(directory.path)/state' >said & until grep -q open said; do :; done
            kill -9 $!; wait $! || true
            mount -o remount,ro '\(directory.path)'
            """)

        #expect(lines.count == 1)
        #expect(lines.first?.contains("cannot be written: its file system is read-only.") == true, "\(lines)")
    }
}

/// Mounts that only a single process sees (mount_namespaces(7)).
enum MountNamespace {
    /// Whether this user may create such mounts.
    static var isAllowed: Bool {
        guard geteuid() == 0, let run = try? TestProcess("/usr/bin/unshare", ["-m", "true"]) else { return false }
        return (try? run.waitForExit()) == .exited(0)
    }
}
