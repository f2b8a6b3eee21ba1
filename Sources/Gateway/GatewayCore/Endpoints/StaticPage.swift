// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes
import JSONText
import Sodium

/// A text that is the same for all clients and is generated once for each table.
package struct StaticPage: Sendable {
    /// The complete response, for a client that has no current copy of the text.
    let whole: GatewayAnswer
    /// The head of the response to a client that already has the text (RFC 9110 §15.4.5).
    let unchanged: ResponseHead
    private let tag: [UInt8]

    /// Creates a page with this body and these fields.
    package init(_ body: [UInt8], _ fields: KeyValuePairs<String, String>) {
        let tag = "\"\(ContentHash.base64(body))\""
        self.tag = Array(tag.utf8)
        var unchanged = ResponseHead(status: 304)
        unchanged.fields.append("ETag", tag)
        // A cache must revalidate the text for each use, because a new version of the gateway has a different text.
        unchanged.fields.append("Cache-Control", "no-cache")
        self.unchanged = unchanged
        var head = ResponseHead(status: 200)
        for (name, value) in fields { head.fields.append(name, value) }
        head.fields.append(contentsOf: unchanged.fields)
        whole = GatewayAnswer(head: head, body: body)
    }

    /// Returns whether a request with these fields states that its client already has the text (RFC 9110 §13.1.2).
    func isKnown(to request: FieldList) -> Bool {
        var start = 0
        while let index = request.firstIndex(of: .ifNoneMatch, from: start) {
            for element in ListElements(request.value(at: index)) {
                // The comparison is weak, because a proxy that has compressed the text marks its entity tag as weak.
                let isWeak = element.starts(with: Array("W/".utf8))
                if (isWeak ? element.dropFirst(2) : element).elementsEqual(tag) { return true }
                if element.elementsEqual([UInt8(ascii: "*")]) { return true }
            }
            start = index + 1
        }
        return false
    }
}
