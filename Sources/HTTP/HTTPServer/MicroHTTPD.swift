// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
import Glibc
import HTTPTypes

/// A libmicrohttpd daemon in external-epoll mode. The daemon parses and frames messages, and its owner polls the
/// descriptor.
///
/// Each callback only recovers the connection or the server and calls one of its methods.
final class MicroHTTPD {
    /// The error for a daemon that libmicrohttpd could not start. libmicrohttpd's log contains the reason.
    struct StartFailure: Error {}

    /// The library's version, such as `0.9.75`.
    static var version: String { String(cString: MHD_get_version()) }

    /// Whether the library itself rejects a bare LF, folded lines and white space in the request line
    /// (MHD_OPTION_CLIENT_DISCIPLINE_LVL, since 0.9.77).
    static let refusesLooseLines =
        version.split(separator: ".").compactMap { Int($0) }
        .lexicographicallyPrecedes([0, 9, 77]) == false

    private let daemon: OpaquePointer
    private unowned let server: Server

    /// The daemon's epoll descriptor, which must be watched for reading.
    let descriptor: Int32

    init(server: Server, poolSize: Int, connectionLimit: Int) throws(StartFailure) {
        self.server = server
        // The server owns the daemon and stops it before the server is released, so the pointer is valid in every
        // callback.
        let context = Unmanaged.passUnretained(server).toOpaque()
        guard
            let daemon = cmicrohttpd_start(
                Self.onRequest, Self.onCompleted, Self.onConnection, Self.onTarget, Self.onUnescape, context,
                poolSize, UInt32(connectionLimit), Self.refusesLooseLines ? 1 : 0)
        else { throw StartFailure() }
        self.daemon = daemon
        descriptor = cmicrohttpd_epoll_descriptor(daemon)
    }

    /// Stops the daemon and closes its connections. No connection may be suspended (libmicrohttpd's manual).
    func stop() { MHD_stop_daemon(daemon) }

    /// Handles all ready events. Returns whether more work is due immediately.
    func run() -> Bool {
        MHD_run(daemon)
        var timeout: UInt64 = 0
        return MHD_get_timeout(daemon, &timeout) == .YES && timeout == 0
    }

    /// Adds a connected descriptor. libmicrohttpd closes the descriptor even if the call fails.
    func add(_ descriptor: Int32) -> Bool {
        var address = sockaddr_storage()
        address.ss_family = sa_family_t(AF_INET)
        // Pass an empty address. libmicrohttpd uses the address only for its own limits, which are not set, and the
        // gateway knows the actual address.
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                MHD_add_connection(daemon, descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == .YES
            }
        }
    }

    /// Calls `body` with a connection, without counting a reference. libmicrohttpd keeps a reference until it reports
    /// that the connection is closed. That report never arrives during another callback.
    private static func lent<Result>(
        _ raw: UnsafeMutableRawPointer, _ body: (ClientConnection) -> Result
    ) -> Result {
        Unmanaged<ClientConnection>.fromOpaque(raw)._withUnsafeGuaranteedRef(body)
    }

    private static let onRequest: MHD_AccessHandlerCallback = {
        _, handle, _, method, version, data, size, context in
        guard let handle, let raw = context?.pointee, let size, let method, let version else { return .NO }
        let step = ClientConnection.Step(
            method: method, version: version,
            body: UnsafeRawBufferPointer(start: data, count: size.pointee))
        switch lent(raw, { $0.step(step) }) {
        case .consumed(let count):
            size.pointee -= count
            return .YES
        case .close:
            return .NO
        }
    }

    private static let onCompleted: MHD_RequestCompletedCallback = { _, _, context, code in
        guard let raw = context?.pointee else { return }
        context?.pointee = nil
        lent(raw) { $0.completed(isWhole: code == .REQUEST_TERMINATED_COMPLETED_OK) }
    }

    private static let onConnection: MHD_NotifyConnectionCallback = { context, handle, stored, code in
        guard let context, let handle, let stored else { return }
        let server = Unmanaged<Server>.fromOpaque(context).takeUnretainedValue()
        if code == .CONNECTION_NOTIFY_STARTED {
            let connection = server.started(ConnectionHandle(handle))
            stored.pointee = connection.map { Unmanaged.passRetained($0).toOpaque() }
        } else if let raw = stored.pointee {
            stored.pointee = nil
            Unmanaged<ClientConnection>.fromOpaque(raw).takeRetainedValue().closed()
        }
    }

    private static let onTarget:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
            _, target, handle in
            guard let handle, let raw = cmicrohttpd_socket_context(handle) else { return nil }
            // The target is in the connection's memory, and libmicrohttpd itself writes to this memory right after this
            // call.
            lent(raw) { $0.began(target: UnsafeMutablePointer(mutating: target)) }
            return raw
        }

    // This callback decodes nothing, so `%2F` and `%00` stay unchanged.
    private static let onUnescape:
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int = { _, _, text in
            text.map { strlen($0) } ?? 0
        }
}
