// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
import HTTPTypes

/// A libmicrohttpd response object, which is released together with this value.
struct Response: ~Copyable {
    let pointer: OpaquePointer

    /// Creates a response whose whole body is copied from `body`.
    init?(body: Span<UInt8>) {
        let created = body.withUnsafeBytes { bytes in
            // The call copies the bytes before it returns. The parameter lacks `const` only because of the other memory
            // modes.
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let created else { return nil }
        pointer = created
    }

    /// Creates a response that reads its body from `connection`.
    ///
    /// - Parameter length: The length of the body; nil if it is unknown until the end.
    init?(readingFrom connection: ClientConnection, length: UInt64?) {
        // The response owns a reference to its source. The reference is released when libmicrohttpd frees the response.
        let source = Unmanaged.passRetained(connection)
        let created = MHD_create_response_from_callback(
            length ?? cmicrohttpd_size_unknown, Self.blockSize, Self.onRead, source.toOpaque(), Self.onFree)
        guard let created else {
            source.release()
            return nil
        }
        pointer = created
    }

    /// Creates a 101 response that passes the client's descriptor to `connection` after the response has been sent.
    init?(upgrading connection: ClientConnection) {
        // The server's list keeps the connection alive until libmicrohttpd closes it, which happens after the upgrade.
        guard
            let created = MHD_create_response_for_upgrade(
                Self.onUpgrade, Unmanaged.passUnretained(connection).toOpaque())
        else { return nil }
        pointer = created
    }

    deinit { MHD_destroy_response(pointer) }

    /// Adds the fields of a head. libmicrohttpd adds the length and the framing itself. Because libmicrohttpd rejects
    /// empty values, an empty value is replaced by a space, which every recipient treats as an empty value (RFC 9110
    /// §5.5).
    ///
    /// - Parameter closesConnection: Whether to announce that the connection ends with this response. The Connection
    ///   field is added first. When a Connection field is added after a Date field, libmicrohttpd (0.9.75 and 1.0.1)
    ///   forgets the existing Date field and adds a second one.
    mutating func add(_ fields: FieldList, closesConnection: Bool) {
        if closesConnection { MHD_add_response_header(pointer, "Connection", "close") }
        Self.forEach(fields) { name, value in MHD_add_response_header(pointer, name, value) }
    }

    /// Adds the trailer fields of a chunked body. Call this method before libmicrohttpd receives the end of the body.
    static func add(trailers: FieldList, to response: OpaquePointer) {
        forEach(trailers) { name, value in MHD_add_response_footer(response, name, value) }
    }

    /// Calls `body` with each field as two C strings.
    private static func forEach<Result>(
        _ fields: FieldList, _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Result
    ) {
        for index in 0..<fields.count {
            fields.withLine(at: index) { line, name, value in
                // The copy on the stack has a NUL after the name and the value. libmicrohttpd makes its own copy.
                withUnsafeTemporaryAllocation(of: CChar.self, capacity: line.count) { text in
                    guard let start = text.baseAddress else { return }
                    line.withUnsafeBytes { UnsafeMutableRawBufferPointer(text).copyMemory(from: $0) }
                    start[name.upperBound] = 0
                    start[value.upperBound] = 0
                    _ = body(start, value.isEmpty ? emptyValue : UnsafePointer(start + value.lowerBound))
                }
            }
        }
    }

    // The memory is never freed and is only read.
    private nonisolated(unsafe) static let emptyValue: UnsafePointer<CChar> = {
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: 2)
        text[0] = CChar(bitPattern: UInt8(ascii: " "))
        text[1] = 0
        return UnsafePointer(text)
    }()

    /// The maximum size in bytes of a block that libmicrohttpd requests from the body's source.
    private static let blockSize = 32 * 1024

    private static let onRead: MHD_ContentReaderCallback = { context, _, buffer, capacity in
        guard let context, let buffer else { return cmicrohttpd_end_with_error }
        let connection = Unmanaged<ClientConnection>.fromOpaque(context).takeUnretainedValue()
        let memory = UnsafeMutableRawBufferPointer(start: buffer, count: capacity)
        switch connection.readResponse(into: memory) {
        case .bytes(let count): return count
        case .later: return 0
        case .end: return cmicrohttpd_end_of_stream
        case .broken: return cmicrohttpd_end_with_error
        }
    }

    private static let onFree: MHD_ContentReaderFreeCallback = { context in
        guard let context else { return }
        Unmanaged<ClientConnection>.fromOpaque(context).release()
    }

    private static let onUpgrade: MHD_UpgradeHandler = { context, _, _, extra, extraSize, descriptor, handle in
        guard let context else { return }
        let connection = Unmanaged<ClientConnection>.fromOpaque(context).takeUnretainedValue()
        let early = UnsafeRawBufferPointer(start: extra, count: extraSize).bindMemory(to: UInt8.self)
        connection.upgraded(descriptor: descriptor, early: early.span)
        // The socket was taken over, so this call closes only libmicrohttpd's replacement descriptor.
        cmicrohttpd_end_upgrade(handle)
    }
}

extension Response {
    /// Returns the library's reason phrase for a status (RFC 9110 §15).
    static func reason(_ status: Int) -> String {
        String(cString: MHD_get_reason_phrase_for(UInt32(status)))
    }
}
