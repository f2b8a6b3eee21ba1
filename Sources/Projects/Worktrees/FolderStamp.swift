internal import Glibc

/// A folder as it was at one moment, or that there was none: an entry that comes or goes makes another one.
package struct FolderStamp: Sendable, Equatable {
    private let identity: FolderIdentity?
    /// The time of its last change.
    private let seconds: Int
    private let nanoseconds: Int
    /// Whether it had been changed so lately that a change behind the look may have left the same time.
    private let isFresh: Bool

    /// Before Linux 6.13 file systems take their times from a clock that goes on every 1 to 10 ms (CONFIG_HZ).
    private static let tick = Duration.milliseconds(10)

    /// The folder at that path, links followed.
    package init(ofFolderAt path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            (identity, seconds, nanoseconds, isFresh) = (nil, 0, 0, false)
            return
        }
        identity = FolderIdentity(status)
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let age = Duration.seconds(now.tv_sec - seconds) + .nanoseconds(now.tv_nsec - nanoseconds)
        // A time far ahead is another machine's, or is from before the clock was set: it will not be given again soon.
        isFresh = age < Self.tick && age > .zero - Self.tick
    }

    /// Whether nothing has changed since in the folder at that path, whose stamp this is.
    package func isCurrent(ofFolderAt path: String) -> Bool {
        guard !isFresh else { return false }
        let now = FolderStamp(ofFolderAt: path)
        return now.identity == identity && now.seconds == seconds && now.nanoseconds == nanoseconds
    }
}
