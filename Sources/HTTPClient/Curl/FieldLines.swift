internal import CCurl
import HTTPTypes

/// A request's fields as libcurl's list of lines (CURLOPT_HTTPHEADER(3)); lives as long as a transfer may look at it.
final class FieldLines {
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    /// Lines that keep libcurl from adding fields of its own: a name without a value is left out.
    private static let suppressed = ["Accept:", "Content-Type:", "Expect:"]

    /// The lines of a request; nil without memory.
    init?(of request: borrowing UpstreamRequest) {
        guard append("Host: \(request.host)") else { return nil }
        var line: [CChar] = []
        for index in 0..<request.fields.count {
            request.fields.withLine(at: index) { text, name, value in
                // Its end is libcurl's; of a field without a value libcurl wants the name with a semicolon.
                let count = value.isEmpty ? name.count : text.count - 2
                line.removeAll(keepingCapacity: true)
                for index in 0..<count { line.append(CChar(bitPattern: text[index])) }
                if value.isEmpty { line.append(CChar(bitPattern: UInt8(ascii: ";"))) }
                line.append(0)
            }
            guard append(line) else { return nil }
        }
        for line in Self.suppressed { guard append(line) else { return nil } }
        if case .streamed(length: nil) = request.body, !append("Transfer-Encoding: chunked") { return nil }
    }

    deinit { curl_slist_free_all(pointer) }

    private func append(_ line: [CChar]) -> Bool {
        guard let longer = curl_slist_append(pointer, line) else { return false }
        pointer = longer
        return true
    }

    private func append(_ line: String) -> Bool {
        guard let longer = curl_slist_append(pointer, line) else { return false }
        pointer = longer
        return true
    }
}
