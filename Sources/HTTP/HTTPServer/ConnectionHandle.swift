// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
import EventLoop
import Glibc
import HTTPTypes

/// libmicrohttpd's handle for one client's connection. The handle is valid until libmicrohttpd reports that the
/// connection is closed.
struct ConnectionHandle {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// The client's descriptor, which libmicrohttpd owns.
    var descriptor: Int32 { cmicrohttpd_descriptor(pointer) }

    /// Removes the connection from libmicrohttpd's poll set. Call this method in a callback of the connection, or while
    /// its complete request waits for a response. For daemons with their own threads, the manual allows only calls in a
    /// callback. This daemon has no threads, so the restriction does not apply.
    func suspend() { MHD_suspend_connection(pointer) }

    /// Adds the connection to the poll set again in the next run.
    func resume() { MHD_resume_connection(pointer) }

    /// Makes libmicrohttpd close a connection whose socket was shut down or replaced by a closed one, regardless of the
    /// connection's state.
    ///
    /// Version 0.9.75 does not check the socket of a connection that has no room to read (MHD_EVENT_LOOP_INFO_BLOCK).
    /// With MHD_USE_TURBO, such a connection may be missing from the epoll set, so nothing would ever end it. After the
    /// connection is added to the set, the kernel reports EPOLLHUP, and libmicrohttpd closes the connection in any
    /// state. In later versions, the connection gets a time-out instead, which libmicrohttpd checks in any state.
    ///
    /// - Returns: Whether the descriptor was added. The caller must then call ``remove(pollSet:descriptor:)`` before
    ///   libmicrohttpd closes the descriptor.
    func expire(pollSet: Int32, descriptor: Int32) -> Bool {
        guard MicroHTTPD.refusesLooseLines else {
            return cmicrohttpd_join_poll_set(pollSet, pointer, descriptor) != 0
        }
        cmicrohttpd_set_timeout(pointer, 1)
        return false
    }

    /// Reverts ``expire(pollSet:descriptor:)``. Without this call, a duplicate of the descriptor would keep the
    /// kernel's entry alive.
    static func remove(pollSet: Int32, descriptor: Int32) { cmicrohttpd_leave_poll_set(pollSet, descriptor) }

    /// Queues a response. Returns false if libmicrohttpd rejects it.
    func queue(_ response: borrowing Response, status: Int) -> Bool {
        MHD_queue_response(pointer, UInt32(status), response.pointer) == .YES
    }

    /// The size of the request's head on the wire, including its empty line, in bytes.
    var headSize: Int { cmicrohttpd_head_size(pointer) }

    /// Copies the request's fields to `fields`. Returns whether every line of the head ends correctly.
    ///
    /// libmicrohttpd 0.9.75 accepts a bare LF as a line end, folds lines, and truncates values at a NUL, without
    /// reporting this. However, this version leaves the head in place and overwrites each CR and LF with NUL. Each line
    /// must therefore begin two bytes after the end of the previous line. The empty line must end at the end of the
    /// head, whose size is known. Later versions reject such heads themselves and trim values, so this check would be
    /// wrong and is skipped.
    func copyFields(
        to fields: inout FieldList, requestLineEnd: UnsafePointer<CChar>, headEnd: UnsafePointer<CChar>
    ) -> Bool {
        // Reserve the memory for most clients' heads in one step. Gradual growth would cost a new connection more than
        // parsing the head.
        fields.reserveCapacity(fields: 16, bytes: headEnd - requestLineEnd)
        var collector = FieldCollector(fields: fields, lineEnd: requestLineEnd)
        fields = FieldList()
        withUnsafeMutablePointer(to: &collector) {
            _ = MHD_get_connection_values_n(pointer, .HEADER_KIND, Self.collect, $0)
        }
        fields = collector.fields
        let endsWithEmptyLine = collector.lineEnd + 4 == headEnd
        return MicroHTTPD.refusesLooseLines || collector.isContiguous && endsWithEmptyLine
    }

    /// Whether libmicrohttpd reads the body as chunked. If white space follows the name of the coding, version 0.9.75
    /// treats all following bytes as the body.
    var readsChunked: Bool {
        MHD_lookup_connection_value(pointer, .HEADER_KIND, "Transfer-Encoding").map { strlen($0) == 7 } ?? false
    }

    private static let collect: MHD_KeyValueIteratorN = { context, _, name, nameLength, value, valueLength in
        guard let collector = context?.assumingMemoryBound(to: FieldCollector.self), let name else { return .NO }
        collector.pointee.add(name, nameLength: nameLength, value: value, valueLength: valueLength)
        return .YES
    }
}

/// Collects the fields that libmicrohttpd enumerates and checks their positions in memory.
private struct FieldCollector {
    var fields: FieldList
    /// The byte after the last character of the previous line.
    var lineEnd: UnsafePointer<CChar>
    var isContiguous = true

    init(fields: FieldList, lineEnd: UnsafePointer<CChar>) {
        self.fields = fields
        self.lineEnd = lineEnd
    }

    mutating func add(
        _ name: UnsafePointer<CChar>, nameLength: Int, value: UnsafePointer<CChar>?, valueLength: Int
    ) {
        isContiguous = isContiguous && name == lineEnd + 2
        lineEnd = (value ?? name + nameLength) + (value == nil ? 0 : valueLength)
        if value == name + nameLength + 2 {
            // In the usual case, libmicrohttpd has overwritten only the line's colon, so copy the line as a whole.
            let both = UnsafeRawBufferPointer(start: name, count: nameLength + 2 + valueLength)
            fields.append(nameAndValue: both.bindMemory(to: UInt8.self).span, nameLength: nameLength)
        } else {
            let nameBytes = UnsafeRawBufferPointer(start: name, count: nameLength).bindMemory(to: UInt8.self)
            let valueBytes = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueLength)
                .bindMemory(to: UInt8.self)
            fields.append(name: nameBytes.span, value: valueBytes.span)
        }
    }
}
