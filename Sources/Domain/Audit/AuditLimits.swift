// SPDX-License-Identifier: Apache-2.0

/// The limits of the stored audit log.
package struct AuditLimits: Sendable, Equatable {
    /// The time for which an entry is kept.
    package var time: Duration
    /// The maximum size of the database in bytes.
    package var bytes: Int64 = 256 << 20
    /// The maximum number of entries about refused requests. Clients without a key can cause these entries, so they have a
    /// share of their own, and cannot displace the entries about actions.
    package var refusals: Int64 = 50_000

    /// Creates limits with the default size.
    ///
    /// - Parameter time: The time for which an entry is kept.
    package init(time: Duration) { self.time = time }

    /// The number of bytes above which old entries are removed. The remainder is for the entries until the next check and
    /// for SQLite's log.
    var threshold: Int64 { bytes - bytes / 32 }

    /// The number of entries that are removed together when the file is too large: about 1 MiB of 256 MiB.
    var batch: Int64 { max(16, bytes >> 16) }
}
