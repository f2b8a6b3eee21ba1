// SPDX-License-Identifier: Apache-2.0

import Access
import EventLoop
import GatewayCore
import Glibc
import HTTPTypes

/// A connection that transfers bytes in both directions between a client and an instance, after
/// both have switched protocols.
///
/// Each direction ends separately. A side that has finished sending (FIN) still receives until the other side has
/// finished. A reset on either side ends both directions.
final class Tunnel {
    /// One direction, with the bytes that were read from its source but not yet written to its sink.
    private final class Direction {
        var waiting = ByteQueue()
        var hasEnded = false
        var endIsForwarded = false
    }

    private static let highWater = 256 * 1024
    /// The maximum number of reads of 64 KiB in one pass and direction, so that one client's data does
    /// not delay other clients.
    private static let readsPerPass = 16

    /// The rights that the tunnel uses; nil if the client needed no key.
    let usedRights: UsedRights?
    private let loop: EventLoop
    private let client: Socket
    private let upstream: Socket
    private let idleTimeout: Duration
    private let toUpstream = Direction()
    private let toClient = Direction()
    private var watches: [EventLoop.Watch] = []
    private var timer: LoopTimer?
    private var onEnd: ((_ bytesToClient: UInt64) -> Void)?
    private var bytesToClient: UInt64 = 0

    /// Starts the transfer.
    ///
    /// - Parameter onEnd: Called once when the tunnel has ended for any reason, with the number of bytes that the
    ///   instance has sent.
    init(
        loop: EventLoop, client: Socket, upstream: Socket, earlyFromClient: [UInt8], earlyFromUpstream: [UInt8],
        idleTimeout: Duration, usedRights: UsedRights?, onEnd: @escaping (_ bytesToClient: UInt64) -> Void
    ) {
        self.usedRights = usedRights
        self.loop = loop
        self.client = client
        self.upstream = upstream
        self.idleTimeout = idleTimeout
        self.onEnd = onEnd
        toUpstream.waiting.append(contentsOf: earlyFromClient)
        toClient.waiting.append(contentsOf: earlyFromUpstream)
        start()
    }

    /// Ends both directions if the client has vanished while bytes for it are unacknowledged.
    func endIfLost(by loss: PeerLoss) {
        guard loss.hasLostPeer(client.descriptor) else { return }
        // Reset the connection. Otherwise, the kernel would continue to send bytes that no peer receives.
        SocketOptions.setLingerToZero(client.descriptor)
        close()
    }

    /// Ends both directions and closes both sockets.
    func close() {
        guard let report = onEnd else { return }
        onEnd = nil
        for watch in watches { loop.cancel(watch) }
        watches.removeAll()
        if let timer { loop.cancel(timer) }
        timer = nil
        client.close()
        upstream.close()
        report(bytesToClient)
    }

    private func start() {
        let readiness: Readiness = [.readable, .writable, .peerClosed, .edgeTriggered]
        timer = loop.timer(Expiry(self))
        do {
            // Both events can be edge-triggered, because epoll reports the initial state of each event by itself.
            watches.append(try loop.watch(client.descriptor, for: readiness, handler: Side(self)))
            watches.append(try loop.watch(upstream.descriptor, for: readiness, handler: Side(self)))
        } catch {
            close()
        }
    }

    /// Transfers all available bytes. Edge-triggered events require that each direction is processed until it blocks.
    fileprivate func carry() {
        guard onEnd != nil else { return }
        if let timer { loop.arm(timer, after: idleTimeout) }
        guard move(from: client, to: upstream, toUpstream), move(from: upstream, to: client, toClient) else {
            return close()
        }
        if toUpstream.endIsForwarded, toClient.endIsForwarded { close() }
    }

    /// Transfers one direction. Returns false if the tunnel is broken.
    private func move(from source: Socket, to sink: Socket, _ direction: Direction) -> Bool {
        for round in 0... {
            guard round < Self.readsPerPass else {
                // Serve other connections first, and continue at the end of the pass, because an edge-triggered watch
                // does not report the same bytes again.
                loop.atEndOfPass(self)
                return true
            }
            guard flush(direction, to: sink) else { return false }
            guard !direction.hasEnded, direction.waiting.count < Self.highWater else { break }
            switch source.receive(loop.scratch, { direction.waiting.append($0) }) {
            case .bytes(let count):
                if source === upstream { bytesToClient += UInt64(count) }
            case .nothingYet: return flush(direction, to: sink)
            case .end: direction.hasEnded = true
            case .failed: return false
            }
        }
        if direction.hasEnded, direction.waiting.isEmpty, !direction.endIsForwarded {
            direction.endIsForwarded = true
            sink.shutdownWriting()
        }
        return true
    }

    private func flush(_ direction: Direction, to sink: Socket) -> Bool {
        while !direction.waiting.isEmpty {
            switch direction.waiting.withBytes({ sink.send($0) }) {
            case .bytes(0): return true
            case .bytes(let count): direction.waiting.removeFirst(count)
            case .failed: return false
            }
        }
        return true
    }
}

extension Tunnel: PassHandler {
    func passEnded() { carry() }
}

/// The handler for both sockets. Each event checks both directions, because one direction may wait for room
/// on the other socket.
private final class Side: ReadinessHandler {
    private let tunnel: Tunnel

    init(_ tunnel: Tunnel) { self.tunnel = tunnel }

    func ready(_ readiness: Readiness) {
        tunnel.carry()
    }
}

private final class Expiry: TimerHandler {
    private unowned let tunnel: Tunnel

    init(_ tunnel: Tunnel) { self.tunnel = tunnel }

    func timerFired(_ timer: LoopTimer) { tunnel.close() }
}
