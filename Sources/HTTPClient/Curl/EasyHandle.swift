internal import CCurl
import EventLoop
import Glibc
import HTTPTypes

/// One of libcurl's transfer handles, configured once and used for many exchanges one after the other.
///
/// The handle's callbacks know this object, which knows the exchange that it serves at the moment.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private var fieldLines: FieldLines?
    /// The exchange being carried; it and the handle hold each other until the exchange is released.
    var exchange: UpstreamExchange?

    init?(client: UpstreamClient) {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
        let own = Unmanaged.passUnretained(self).toOpaque()
        let shared = Unmanaged.passUnretained(client).toOpaque()
        ccurl_set_pointer(pointer, CURLOPT_PRIVATE, own)
        ccurl_set_long(pointer, CURLOPT_NOSIGNAL, 1)
        ccurl_set_long(pointer, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // An empty string, not nil: nil would let http_proxy of the environment in.
        ccurl_set_string(pointer, CURLOPT_PROXY, "")
        ccurl_set_string(pointer, CURLOPT_NOPROXY, "*")
        ccurl_set_string(pointer, CURLOPT_PROTOCOLS_STR, "http")
        ccurl_set_long(pointer, CURLOPT_FOLLOWLOCATION, 0)
        ccurl_set_long(pointer, CURLOPT_HTTP_CONTENT_DECODING, 0)
        // What libcurl carries must not be sent twice: it never meets a connection that may be stale.
        ccurl_set_long(pointer, CURLOPT_FRESH_CONNECT, 1)
        ccurl_set_long(pointer, CURLOPT_CONNECTTIMEOUT_MS, Int(client.connectTimeout / .milliseconds(1)))
        // The chunked coding is read by the gateway's own strict decoder: libcurl goes on using a connection on which
        // bytes followed the last chunk.
        ccurl_set_long(pointer, CURLOPT_HTTP_TRANSFER_DECODING, 0)
        ccurl_set_long(pointer, CURLOPT_BUFFERSIZE, Self.bufferSize)
        ccurl_set_long(pointer, CURLOPT_UPLOAD_BUFFERSIZE, 64 * 1024)
        ccurl_set_long(pointer, CURLOPT_TCP_NODELAY, 1)
        ccurl_set_long(pointer, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Head lines come to the write function, before libcurl files them for its header API: filing a folded line
        // that follows the status line touches freed memory in a handle that is used again (libcurl 7.83 to 8.1.0,
        // curl issue 11101).
        ccurl_set_long(pointer, CURLOPT_HEADER, 1)
        ccurl_set_data_callback(pointer, CURLOPT_WRITEFUNCTION, Self.onAnswer)
        ccurl_set_pointer(pointer, CURLOPT_WRITEDATA, own)
        ccurl_set_data_callback(pointer, CURLOPT_READFUNCTION, Self.onUpload)
        ccurl_set_pointer(pointer, CURLOPT_READDATA, own)
        ccurl_set_open_socket(pointer, Self.onOpenSocket)
        ccurl_set_pointer(pointer, CURLOPT_OPENSOCKETDATA, own)
        ccurl_set_close_socket(pointer, UpstreamClient.onCloseSocket)
        ccurl_set_pointer(pointer, CURLOPT_CLOSESOCKETDATA, shared)
    }

    deinit { curl_easy_cleanup(pointer) }

    /// libcurl's receive buffer, which it takes for each transfer, in bytes.
    static let bufferSize = 32 * 1024

    private var holdsBody = false

    /// Prepares the handle for a request to `host`, as it stands in a URL; false without memory.
    func prepare(_ request: borrowing UpstreamRequest, host: String) -> Bool {
        guard let fieldLines = FieldLines(of: request) else { return false }
        ccurl_set_fields(pointer, fieldLines.pointer)
        self.fieldLines = fieldLines
        ccurl_set_string(pointer, CURLOPT_URL, "http://\(host):\(request.port)/")
        // As characters of C, not as a String, which would mend bytes that are no UTF-8.
        ccurl_set_string(pointer, CURLOPT_REQUEST_TARGET, request.target.map { CChar(bitPattern: $0) } + [0])
        // A connection that has switched protocols must not be kept, which libcurl would do where the instance has finished
        // sending.
        ccurl_set_long(pointer, CURLOPT_FORBID_REUSE, request.mayUpgrade ? 1 : 0)
        setForm(request)
        return true
    }

    private func setForm(_ request: borrowing UpstreamRequest) {
        // Takes back what an earlier request has set: the method, the upload and the missing body.
        ccurl_set_long(pointer, CURLOPT_HTTPGET, 1)
        switch request.body {
        case .none:
            if request.method == .head { ccurl_set_long(pointer, CURLOPT_NOBODY, 1) }
        case .whole(let bytes):
            ccurl_set_long(pointer, CURLOPT_POST, 1)
            ccurl_set_size(pointer, CURLOPT_POSTFIELDSIZE_LARGE, Int64(bytes.count))
            if bytes.isEmpty {
                ccurl_set_string(pointer, CURLOPT_COPYPOSTFIELDS, "")
            } else {
                holdsBody = true
                // Copied before the call returns; the pointer is only read.
                bytes.withUnsafeBytes { buffer in
                    _ = ccurl_set_pointer(
                        pointer, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: buffer.baseAddress))
                }
            }
        case .streamed(let length):
            ccurl_set_long(pointer, CURLOPT_UPLOAD, 1)
            ccurl_set_size(pointer, CURLOPT_INFILESIZE_LARGE, length.map { Int64(clamping: $0) } ?? -1)
        }
        let isPlain = (request.method == .get || request.method == .head) && !request.hasBody
        ccurl_set_string(pointer, CURLOPT_CUSTOMREQUEST, isPlain ? nil : request.methodName)
    }

    /// Gives back what libcurl has copied of a request, or still refers to, for the handle's next transfer.
    func forgetRequest() {
        ccurl_set_fields(pointer, nil)
        fieldLines = nil
        guard holdsBody else { return }
        holdsBody = false
        ccurl_set_pointer(pointer, CURLOPT_POSTFIELDS, nil)
    }

    /// Ends the connection that libcurl has kept: nothing would use it again, and libcurl itself closes it only when it
    /// next opens one.
    func endKeptConnection() {
        var descriptor: curl_socket_t = -1
        ccurl_get_socket(pointer, &descriptor)
        if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    // The thunks recover the handle and call one method of its exchange. An answer other than the number of bytes
    // ends the transfer.

    private static let onAnswer:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
            data, size, count, context in
            guard let data, let exchange = EasyHandle.exchange(context) else { return 0 }
            let bytes = UnsafeRawBufferPointer(start: data, count: size * count).bindMemory(to: UInt8.self)
            switch exchange.received(bytes.span) {
            case .taken: return size * count
            case .later: return Int(CURL_WRITEFUNC_PAUSE)
            case .stop: return 0
            }
        }

    private static let onUpload:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
            data, size, count, context in
            guard let data, let exchange = EasyHandle.exchange(context) else { return Int(CURL_READFUNC_ABORT) }
            let memory = UnsafeMutableRawBufferPointer(start: data, count: size * count)
            return exchange.takeUpload(into: memory) ?? Int(CURL_READFUNC_PAUSE)
        }

    private static let onOpenSocket:
        @convention(c) (UnsafeMutableRawPointer?, curlsocktype, UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t =
            { context, _, address in
                guard let address, let exchange = exchange(context) else { return -1 }
                let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
                var descriptor = socket(address.pointee.family, kind, address.pointee.protocol)
                if descriptor < 0, isOutOfDescriptors, exchange.client.closeKept() {
                    descriptor = socket(address.pointee.family, kind, address.pointee.protocol)
                }
                if descriptor >= 0 {
                    exchange.client.opened(descriptor, for: exchange)
                } else if isOutOfDescriptors {
                    exchange.fault = .outOfDescriptors
                }
                return descriptor
            }

    /// Whether the call that has just failed found no descriptor left.
    private static var isOutOfDescriptors: Bool { SystemCallError(call: "socket", code: errno).isLackOfDescriptors }

    private static func exchange(_ context: UnsafeMutableRawPointer?) -> UpstreamExchange? {
        context.flatMap { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue().exchange }
    }
}

extension UpstreamRequest {
    /// Whether a body is sent, be it an empty one.
    var hasBody: Bool {
        if case .none = body { return false }
        return true
    }

    /// Whether the body is handed over bit by bit.
    var isStreamed: Bool {
        if case .streamed = body { return true }
        return false
    }
}
