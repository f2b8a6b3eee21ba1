// SPDX-License-Identifier: Apache-2.0

import GatewayCore
package import HTTPTypes

/// The base URL of a project's instance for a client. This URL replaces the instance's own address in references.
package struct ClientBase {
    /// The base, such as `https://gateway.example.com/projects/demo/api`, or only the path if no host is known.
    package let text: [UInt8]

    /// Creates the base from a request to an instance.
    ///
    /// - Parameters:
    ///   - segment: The project's name as it appears in the path.
    ///   - isTrusted: Whether to use the fields for scheme and host that a proxy has added.
    ///   - isAtRoot: Whether the client reaches the instance at the root.
    package init(_ head: RequestHead, segment: ArraySlice<UInt8>, isTrusted: Bool, isAtRoot: Bool = false) {
        var text: [UInt8] = []
        if let host = Self.host(head.fields, isTrusted) {
            text += Self.scheme(head.fields, isTrusted) + Array("://".utf8) + host
        }
        if !isAtRoot { text += Array("/projects/".utf8) + segment + Array("/api".utf8) }
        self.text = text
    }

    private static func scheme(_ fields: FieldList, _ isTrusted: Bool) -> [UInt8] {
        let forwarded = isTrusted ? firstElement(fields, .forwardedProto) : nil
        return forwarded?.equalsIgnoringCase(https) == true ? https : http
    }

    private static func host(_ fields: FieldList, _ isTrusted: Bool) -> ArraySlice<UInt8>? {
        let forwarded = isTrusted ? firstElement(fields, .forwardedHost) : nil
        return [forwarded, fields.first(.host)].lazy.compactMap(\.self).first { !$0.isEmpty && HostValue.isValid($0) }
    }

    /// Returns the element that the first of several proxies has written.
    private static func firstElement(_ fields: FieldList, _ name: FieldName) -> ArraySlice<UInt8>? {
        guard let value = fields.first(name) else { return nil }
        var elements = ListElements(value)
        return elements.next()
    }

    private static let http = Array("http".utf8)
    private static let https = Array("https".utf8)
}
