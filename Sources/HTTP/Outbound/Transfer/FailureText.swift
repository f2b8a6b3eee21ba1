// SPDX-License-Identifier: Apache-2.0

internal import CCurl

/// The buffer for libcurl's error message (CURLOPT_ERRORBUFFER(3)). The buffer has a stable address.
struct ErrorText: ~Copyable {
    private let memory = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init() { memory.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE)) }

    deinit { memory.deallocate() }

    func attach(to easy: UnsafeMutableRawPointer) { ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, memory) }

    /// The message without control characters, which could control a terminal.
    var text: String {
        String(
            String.UnicodeScalarView(
                String(cString: memory).unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}

/// Converts libcurl's error codes (libcurl-errors(3)) to failures, each of which has a message.
struct FailureText {
    let transfer: Transfer
    /// The error message that libcurl wrote.
    let detail: String

    private var origin: String { transfer.request.url.origin }

    func failure(_ code: CURLcode) -> OutboundFailure {
        if code == CURLE_PEER_FAILED_VERIFICATION { return proxyCertificate() ?? certificate() }
        if let refusal = proxyRefusal(code) { return refusal }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            return OutboundFailure(
                .name,
                "The name \(transfer.request.url.host) is not known. Correct the name, or check this machine's name server "
                    + "(/etc/resolv.conf).")
        case CURLE_COULDNT_CONNECT:
            return OutboundFailure(
                .connection,
                "\(origin) does not accept connections. Check that its server runs, and that no firewall or "
                    + "router blocks this machine.")
        case CURLE_SSL_CACERT_BADFILE:
            return OutboundFailure(
                .unavailable,
                "Cannot read the certificates of the authorities. Install ca-certificates, or correct SSL_CERT_FILE.")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER:
            return OutboundFailure(
                .connection, "The TLS handshake with \(origin) failed (\(detail)). Check its port and its TLS settings."
            )
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            return OutboundFailure(
                .connection, "\(origin) ended the connection before its response was complete. Check its log.")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
            return OutboundFailure(
                .answer,
                "\(origin) does not respond as a web server does (\(detail)). Check which program listens there.")
        case CURLE_OUT_OF_MEMORY:
            return OutboundFailure(.unavailable, "There is not enough memory for a request to \(origin).")
        default:
            let words = detail.isEmpty ? String(cString: ccurl_easy_strerror(code)) : detail
            return OutboundFailure(.connection, "The request to \(origin) failed: \(words).")
        }
    }

    private func proxyRefusal(_ code: CURLcode) -> OutboundFailure? {
        guard let proxy = transfer.proxy else { return nil }
        let status = transfer.number(CURLINFO_HTTP_CONNECTCODE)
        if code == CURLE_RECV_ERROR, status >= 300 {
            return OutboundFailure(
                .proxy,
                "The proxy (\(proxy.variable)) refuses \(origin) with \(status). Allow the host in the proxy, or add it to "
                    + "no_proxy.")
        }
        if code == CURLE_SSL_CONNECT_ERROR, proxyVerification != 0 {
            return OutboundFailure(
                .proxy,
                "The TLS handshake with the proxy for \(origin) failed (\(detail)). Correct \(proxy.variable), or check "
                    + "the proxy's TLS settings.")
        }
        guard [CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY].contains(code) else { return nil }
        return OutboundFailure(
            .proxy,
            "The proxy for \(origin) cannot be reached. Correct \(proxy.variable), or check that the proxy runs.")
    }

    /// The result of verifying the proxy's certificate. The value is 0 without TLS to a proxy and after a successful
    /// verification. While the handshake is in progress, the value is another number.
    private var proxyVerification: Int { transfer.number(CURLINFO_PROXY_SSL_VERIFYRESULT) }

    /// Returns the failure for the certificate of an HTTPS proxy; nil if the rejected certificate belongs to the
    /// server.
    private func proxyCertificate() -> OutboundFailure? {
        guard let proxy = transfer.proxy, proxyVerification != 0 else { return nil }
        let (_, words) = fault(proxyVerification, name: "the host that \(proxy.variable) names")
        return OutboundFailure(
            .proxy, "The certificate of the proxy for \(origin) (\(proxy.variable)) \(words).")
    }

    private func certificate() -> OutboundFailure {
        let (fault, words) = fault(transfer.number(CURLINFO_SSL_VERIFYRESULT), name: transfer.request.url.host)
        return OutboundFailure(.certificate(fault), "The certificate of \(origin) \(words).")
    }

    /// Returns the fault of a certificate, and the words that describe it. `number` is the result of OpenSSL's
    /// verification (openssl-verification-options(1)). libcurl itself detects a name that does not match.
    private func fault(_ number: Int, name: String) -> (OutboundFailure.CertificateFault, String) {
        switch number {
        case 9: (.notYetValid, "is not valid yet. Check this machine's clock")
        case 10: (.expired, "has expired. Renew it")
        case 18, 19, 20, 21:
            (
                .unknownIssuer,
                "is signed by an authority that this machine does not know. Configure the server to send the whole chain, "
                    + "or name your authority's certificate in SSL_CERT_FILE"
            )
        case _ where detail.contains("subject name") || detail.contains("does not match"):
            (.otherName, "is for another name. Get a certificate for \(name)")
        default: (.other, "is not trusted (\(detail)). Replace it on the server")
        }
    }
}
