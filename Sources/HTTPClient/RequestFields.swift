internal import CCurl
import HTTPTypes

/// The field lines of one request in the form that libcurl reads: a linked list of NUL-terminated lines.
///
/// The list is built in memory of its own that is used again for the next request: curl_slist_append would allocate twice a line.
/// libcurl only reads it; it must live until the transfer's end (CURLOPT_HTTPHEADER(3)).
final class RequestFields {
    private var nodes: UnsafeMutablePointer<curl_slist>
    private var nodeCapacity: Int
    private var text: UnsafeMutablePointer<CChar>
    private var textCapacity: Int
    private var nodeCount = 0
    private var textCount = 0

    init() {
        nodeCapacity = 32
        textCapacity = 2048
        nodes = .allocate(capacity: nodeCapacity)
        text = .allocate(capacity: textCapacity)
    }

    deinit {
        nodes.deallocate()
        text.deallocate()
    }

    /// The first line, nil where there is none.
    var list: UnsafeMutablePointer<curl_slist>? { nodeCount == 0 ? nil : nodes }

    /// Writes the request's fields, and what keeps libcurl from adding fields of its own.
    func fill(_ request: UpstreamRequest) {
        let fields = request.fields
        reserve(lines: fields.count + 5, bytes: fields.byteCount + 3 * fields.count + 128)
        nodeCount = 0
        textCount = 0
        for index in 0..<fields.count { add(fields.name(at: index), fields.value(at: index)) }
        if fields.firstIndex(of: .accept) == nil { add("Accept:") }
        switch request.body {
        case .none: break
        case .whole:
            if fields.firstIndex(of: .contentType) == nil { add("Content-Type:") }
            add("Expect:")
        case .streamed(let length):
            add("Expect:")
            if length == nil { add("Transfer-Encoding: chunked") }
        }
    }

    private func add(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        begin()
        append(name)
        if value.isEmpty {
            // libcurl takes "Name:" for a wish to leave the field out, and "Name;" for an empty value.
            append(UInt8(ascii: ";"))
        } else {
            append(UInt8(ascii: ":"))
            append(UInt8(ascii: " "))
            append(value)
        }
        append(0)
    }

    private func add(_ line: StaticString) {
        begin()
        append(Array(line.description.utf8)[...])
        append(0)
    }

    private func begin() {
        nodes[nodeCount] = curl_slist(data: text + textCount, next: nil)
        if nodeCount > 0 { nodes[nodeCount - 1].next = nodes + nodeCount }
        nodeCount += 1
    }

    private func append(_ byte: UInt8) {
        text[textCount] = CChar(bitPattern: byte)
        textCount += 1
    }

    private func append(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(start: text + textCount, count: source.count).copyMemory(from: source)
        }
        textCount += bytes.count
    }

    private func reserve(lines: Int, bytes: Int) {
        if lines > nodeCapacity {
            nodes.deallocate()
            nodeCapacity = lines
            nodes = .allocate(capacity: lines)
        }
        if bytes > textCapacity {
            text.deallocate()
            textCapacity = bytes
            text = .allocate(capacity: bytes)
        }
    }
}
