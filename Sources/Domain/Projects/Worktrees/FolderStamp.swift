// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The state of a directory, or its absence, at one point in time. Adding or removing an entry changes the stamp.
package struct FolderStamp: Sendable, Equatable {
    private let identity: FolderIdentity?
    /// The modification time of the directory.
    private let seconds: Int
    private let nanoseconds: Int
    /// Whether the last change was so recent that a later change may have the same time.
    private let isFresh: Bool

    /// The maximum time between two ticks of the clock from which file systems take their times. Before Linux 6.13, the
    /// clock advances every 1 to 10 ms (CONFIG_HZ).
    private static let tick = Duration.milliseconds(10)

    /// Creates the stamp of the directory at a path. Symbolic links are followed.
    package init(ofFolderAt path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            identity = nil
            seconds = 0
            nanoseconds = 0
            isFresh = false
            return
        }
        identity = FolderIdentity(status)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let age = Duration.seconds(now.tv_sec - seconds) + .nanoseconds(now.tv_nsec - nanoseconds)
        // A time far in the future was set by another machine, or before this machine's clock was changed. A later
        // change will not have the same time, so the stamp is not fresh.
        isFresh = age < Self.tick && age > .zero - Self.tick
    }

    /// Returns whether the directory at the path has certainly not changed since the stamp was taken.
    package func isCurrent(ofFolderAt path: String) -> Bool {
        guard !isFresh else { return false }
        let now = FolderStamp(ofFolderAt: path)
        return now.identity == identity && now.seconds == seconds && now.nanoseconds == nanoseconds
    }
}
