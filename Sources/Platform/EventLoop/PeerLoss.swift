// SPDX-License-Identifier: Apache-2.0

internal import CLinux
import Glibc

/// The detection of a peer that has vanished silently: a phone without a network, a machine without power.
///
/// The kernel probes a connection on which nothing is sent (keep-alive, tcp(7)). It does not probe one on which data is
/// unacknowledged, and retransmits that for some 15 minutes; ``hasLostPeer(_:)`` detects such a connection earlier.
/// TCP_USER_TIMEOUT would do so too, but it also ends a connection whose peer is alive and reads slowly.
package struct PeerLoss: Sendable, Equatable {
    /// The idle time after which the peer is probed, in seconds (TCP_KEEPIDLE).
    package let idle: Int32
    /// The interval between two probes, in seconds (TCP_KEEPINTVL).
    package let interval: Int32
    /// The number of unanswered probes after which the peer is lost (TCP_KEEPCNT).
    package let probes: Int32 = 3
    /// The time without an acknowledgement after which the peer of a connection with unacknowledged data is lost.
    package let limit: Duration

    /// The longest time that the kernel accepts, in seconds (MAX_TCP_KEEPIDLE of linux/tcp.h).
    private static let longest: Int64 = 32_767

    /// Creates the rule by which a silent peer is lost after a time and one more probe.
    package init(limit: Duration) {
        let seconds = min(max(limit.components.seconds, 1), Self.longest)
        let interval = max(1, seconds / 10)
        idle = Int32(max(1, seconds - 2 * interval))
        self.interval = Int32(interval)
        self.limit = .seconds(seconds)
    }

    /// The interval at which connections with unacknowledged data are checked.
    package var checkInterval: Duration { .seconds(Int(interval)) }

    /// Sets the options of a socket. Connections that are accepted from a listening one inherit its options.
    func set(on descriptor: Int32) {
        let level = Int32(IPPROTO_TCP)
        Self.set(level: SOL_SOCKET, option: SO_KEEPALIVE, to: 1, on: descriptor)
        Self.set(level: level, option: TCP_KEEPIDLE, to: idle, on: descriptor)
        Self.set(level: level, option: TCP_KEEPINTVL, to: interval, on: descriptor)
        Self.set(level: level, option: TCP_KEEPCNT, to: probes, on: descriptor)
    }

    /// Returns whether the peer of a TCP socket has acknowledged nothing for the limit although there is unacknowledged
    /// data.
    package func hasLostPeer(_ descriptor: Int32) -> Bool {
        let milliseconds = clinux_unacknowledged_for(descriptor)
        return milliseconds >= 0 && .milliseconds(milliseconds) >= limit
    }

    private static func set(level: Int32, option: Int32, to value: Int32, on descriptor: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
