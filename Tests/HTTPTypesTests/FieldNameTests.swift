// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPTypes

@Suite("Known field names (RFC 9110 §5.1)")
struct FieldNameTests {
    static let spellings: KeyValuePairs<FieldName, String> = [
        .accept: "Accept", .accessControlAllowCredentials: "Access-Control-Allow-Credentials",
        .accessControlAllowHeaders: "Access-Control-Allow-Headers",
        .accessControlAllowMethods: "Access-Control-Allow-Methods",
        .accessControlAllowOrigin: "Access-Control-Allow-Origin",
        .accessControlAllowPrivateNetwork: "Access-Control-Allow-Private-Network",
        .accessControlExposeHeaders: "Access-Control-Expose-Headers",
        .accessControlMaxAge: "Access-Control-Max-Age", .accessControlRequestHeaders: "Access-Control-Request-Headers",
        .accessControlRequestMethod: "Access-Control-Request-Method", .authorization: "Authorization",
        .webSocketProtocol: "Sec-WebSocket-Protocol",
        .cacheControl: "Cache-Control", .connection: "Connection", .link: "Link", .location: "Location",
        .contentLength: "Content-Length", .contentType: "Content-Type", .cookie: "Cookie", .date: "Date",
        .expect: "Expect", .setCookie: "Set-Cookie",
        .forwarded: "Forwarded", .host: "Host", .ifNoneMatch: "If-None-Match", .keepAlive: "Keep-Alive",
        .openCodeDirectory: "X-OpenCode-Directory", .origin: "Origin", .proxyAuthenticate: "Proxy-Authenticate",
        .proxyAuthorization: "Proxy-Authorization", .proxyConnection: "Proxy-Connection", .te: "TE",
        .trailer: "Trailer", .transferEncoding: "Transfer-Encoding", .upgrade: "Upgrade", .vary: "Vary", .via: "Via",
        .accelBuffering: "X-Accel-Buffering", .forwardedFor: "X-Forwarded-For", .forwardedHost: "X-Forwarded-Host",
        .forwardedProto: "X-Forwarded-Proto", .realAddress: "X-Real-IP",
    ]

    @Test func `a set can contain all field names, each with its own bit`() {
        var names = FieldNames()

        for (number, name) in FieldName.allCases.enumerated() {
            #expect(!names.contains(name))
            names.insert(name)
            #expect(FieldName.allCases.filter { names.contains($0) }.count == number + 1)
        }
    }

    private func name(_ bytes: [UInt8]) -> FieldName { FieldName.of(bytes.span) }

    @Test func `each known name is recognized in any case`() {
        #expect(Set(Self.spellings.map(\.key)) == Set(FieldName.allCases).subtracting([.other, .forwardedOther]))

        for (known, spelling) in Self.spellings {
            let bytes = spelling.bytes
            let alternating = bytes.indices.map { index in
                index % 2 == 0 ? spelling.lowercased().bytes[index] : spelling.uppercased().bytes[index]
            }
            for variant in [bytes, spelling.lowercased().bytes, spelling.uppercased().bytes, alternating] {
                #expect(name(variant) == known, "\(variant.text)")
            }
        }
    }

    @Test(arguments: spellings.map { $0 })
    func `a known name with one byte changed is another name`(known: FieldName, spelling: String) {
        let lower = spelling.lowercased().bytes
        let upper = spelling.uppercased().bytes

        for index in lower.indices {
            var bytes = lower
            for byte in UInt8.min...UInt8.max {
                bytes[index] = byte
                let isSame = byte == lower[index] || byte == upper[index]
                if (name(bytes) == known) != isSame { Issue.record("\(bytes) in the place of \(spelling)") }
            }
        }
    }

    @Test(arguments: spellings.map { $0 })
    func `a known name with one byte removed or added is another name`(known: FieldName, spelling: String) {
        let bytes = spelling.bytes

        for variant in [
            Array(bytes.dropFirst()), Array(bytes.dropLast()), bytes + [0x20], [0x20] + bytes, bytes + bytes,
        ] {
            let isForwarded = variant.text.lowercased().hasPrefix("x-forwarded-")
            #expect(name(variant) == (isForwarded ? .forwardedOther : .other))
        }
    }

    @Test(
        arguments: [
            ("X-Forwarded-Port", true), ("x-forwarded-Prefix", true), ("X-FORWARDED-S", true), ("X-Forwarded-", false),
            ("X-Forwarded", false), ("X-Forwarded_For", false), ("XX-Forwarded-Port", false),
            ("-X-Forwarded-For", false),
            ("X-Forwarded-\(String(repeating: "a", count: 70_000))", true),
        ])
    func `each other name that begins with X-Forwarded- is recognized as forwardedOther`(
        spelling: String, isKnown: Bool
    ) {
        #expect(name(spelling.bytes) == (isKnown ? .forwardedOther : .other))
    }

    @Test(
        arguments: [
            "", "-", "Content_Length", "Content-Lenght", "Hosts", "X-Forwarded", "Cookies", "Close", "T",
            "Transfer-Encoding:",
        ])
    func `names that resemble known names are not recognized`(spelling: String) {
        #expect(name(spelling.bytes) == .other)
    }

    @Test(arguments: [100, 70_000])
    func `very long names are not recognized`(length: Int) {
        #expect(name(Array(repeating: UInt8(ascii: "a"), count: length)) == .other)
    }

    @Test func `a name is read from its own range of a buffer`() {
        let bytes = "XXHostYY".bytes

        #expect(FieldName.of(bytes.span.extracting(2..<6)) == .host)
        #expect(FieldName.of(bytes.span.extracting(2..<7)) == .other)
        #expect(FieldName.of(bytes.span.extracting(2..<2)) == .other)
    }

    @Test func `only the fields for a single connection are hop-by-hop (RFC 9110, section 7.6.1)`() {
        let expected: Set<FieldName> = [
            .connection, .keepAlive, .proxyAuthenticate, .proxyAuthorization, .proxyConnection, .te, .trailer,
            .transferEncoding, .upgrade,
        ]

        #expect(Set(FieldName.allCases.filter(\.isHopByHop)) == expected)
    }

    @Test func `only the Access-Control- response fields grant cross-origin access (Fetch standard)`() {
        #expect(
            Set(FieldName.allCases.filter(\.grantsCrossOrigin))
                == Set(
                    Self.spellings.filter {
                        $0.value.hasPrefix("Access-Control-") && !$0.value.hasPrefix("Access-Control-Request-")
                    }.map(\.key)))
    }
}
