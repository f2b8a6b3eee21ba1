// SPDX-License-Identifier: Apache-2.0

internal import CLinux
import Glibc

/// The detection of a peer that has vanished silently, such as a phone that lost its network or a machine that lost
/// power.
///
/// The kernel probes an idle connection (keep-alive, tcp(7)). On a connection with unacknowledged data, the kernel
/// sends no probes and retransmits the data for about 15 minutes. ``hasLostPeer(_:)`` detects the loss earlier. The
/// option TCP_USER_TIMEOUT is unsuitable, because it also ends a connection whose peer is alive and reads slowly.
package struct PeerLoss: Sendable, Equatable {
    /// The idle time after which the peer is probed, in seconds (TCP_KEEPIDLE).
    package let idle: Int32
    /// The interval between two probes, in seconds (TCP_KEEPINTVL).
    package let interval: Int32
    /// The number of unanswered probes after which the peer counts as lost (TCP_KEEPCNT).
    package let probes: Int32 = 3
    /// The time after which a peer that does not acknowledge sent data counts as lost.
    package let limit: Duration

    /// The longest idle time that the kernel accepts, in seconds (MAX_TCP_KEEPIDLE of linux/tcp.h).
    private static let longest: Int64 = 32_767

    /// Creates a rule by which a silent peer counts as lost one probe interval after `limit`.
    package init(limit: Duration) {
        let seconds = min(max(limit.components.seconds, 1), Self.longest)
        let interval = max(1, seconds / 10)
        idle = Int32(max(1, seconds - 2 * interval))
        self.interval = Int32(interval)
        self.limit = .seconds(seconds)
    }

    /// The interval at which connections with unacknowledged data are checked.
    package var checkInterval: Duration { .seconds(Int(interval)) }

    /// Sets the options on a socket. Connections accepted from a listening socket inherit its options.
    func set(on descriptor: Int32) {
        let level = Int32(IPPROTO_TCP)
        Self.set(level: SOL_SOCKET, option: SO_KEEPALIVE, to: 1, on: descriptor)
        Self.set(level: level, option: TCP_KEEPIDLE, to: idle, on: descriptor)
        Self.set(level: level, option: TCP_KEEPINTVL, to: interval, on: descriptor)
        Self.set(level: level, option: TCP_KEEPCNT, to: probes, on: descriptor)
    }

    /// Returns whether a TCP socket has unacknowledged data and its peer has acknowledged nothing for ``limit``.
    package func hasLostPeer(_ descriptor: Int32) -> Bool {
        let milliseconds = clinux_unacknowledged_for(descriptor)
        return milliseconds >= 0 && .milliseconds(milliseconds) >= limit
    }

    private static func set(level: Int32, option: Int32, to value: Int32, on descriptor: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
