// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
import EventLoop
import Glibc
import HTTPTypes

/// libmicrohttpd's handle of one client's connection, valid until libmicrohttpd reports that the connection is closed.
struct ConnectionHandle {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// The client's descriptor, which libmicrohttpd owns.
    var descriptor: Int32 { cmicrohttpd_descriptor(pointer) }

    /// Removes the connection from libmicrohttpd's poll set: in a callback of this connection, or while its complete
    /// request waits for a response. The manual allows only the former, for daemons with their own threads; this daemon
    /// has none.
    func suspend() { MHD_suspend_connection(pointer) }

    /// Adds the connection to the poll set again at the next run.
    func resume() { MHD_resume_connection(pointer) }

    /// Makes libmicrohttpd close a connection whose socket was shut down or replaced by one that reads as closed,
    /// regardless of what it waits for.
    ///
    /// 0.9.75 does not look at the socket of a connection while it has no room to read (MHD_EVENT_LOOP_INFO_BLOCK).
    /// With MHD_USE_TURBO such a connection may not be in its epoll set yet, and then nothing ever ends it. Once it is
    /// there, the kernel reports EPOLLHUP, which closes a connection in any state. Later versions get a time-out
    /// instead, which they check in any state.
    ///
    /// - Returns: Whether the descriptor was added. It must then be removed by ``leave(pollSet:descriptor:)`` before
    ///   libmicrohttpd closes it.
    func expire(pollSet: Int32, descriptor: Int32) -> Bool {
        guard MicroHTTPD.refusesLooseLines else {
            return cmicrohttpd_join_poll_set(pollSet, pointer, descriptor) != 0
        }
        cmicrohttpd_set_timeout(pointer, 1)
        return false
    }

    /// Reverts ``expire(pollSet:descriptor:)``. A duplicate of the descriptor's socket would keep the kernel's entry
    /// alive.
    static func leave(pollSet: Int32, descriptor: Int32) { cmicrohttpd_leave_poll_set(pollSet, descriptor) }

    /// Queues a response; returns false where libmicrohttpd refuses it.
    func queue(_ response: borrowing Response, status: Int) -> Bool {
        MHD_queue_response(pointer, UInt32(status), response.pointer) == .YES
    }

    /// The size of the request's head on the wire, including its empty line, in bytes.
    var headSize: Int { cmicrohttpd_head_size(pointer) }

    /// Copies the request's fields to `fields`; returns whether every line of the head ended correctly.
    ///
    /// libmicrohttpd 0.9.75 accepts a bare LF as a line's end, folds lines, and truncates values at NUL, without
    /// reporting it. But it leaves the head where it was read and overwrites each CR and LF with NUL. So each line must
    /// begin two bytes after the end of the previous line, and the empty line must end where the head ends, whose size
    /// is known. Later versions refuse such heads themselves and trim values; there the check would be wrong and is
    /// skipped.
    func copyFields(
        to fields: inout FieldList, requestLineEnd: UnsafePointer<CChar>, headEnd: UnsafePointer<CChar>
    ) -> Bool {
        // Reserves at once the memory that most clients need, and the bytes that any client needs. Gradual growth costs
        // a new connection more than parsing the head.
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

    /// Whether libmicrohttpd reads the body as chunked. 0.9.75 does not where white space follows the coding's name,
    /// and would treat all following bytes as the body.
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
            // The usual line, in one piece: libmicrohttpd has overwritten its colon.
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
