// SPDX-License-Identifier: Apache-2.0

internal import Addresses
internal import CCurl
internal import Glibc

/// The options and callbacks that are set once for every libcurl handle.
extension Transfer {
    func configure() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_pointer(easy, CURLOPT_PRIVATE, context)
        ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        // With this option, aborting a transfer does not wait for a name server that does not respond.
        ccurl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        // This module checks and follows redirects itself, so that it checks each target like the first URL.
        ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        ccurl_set_string(easy, CURLOPT_REDIR_PROTOCOLS_STR, "")
        // With this option, concurrent requests to a server share a connection if the server supports HTTP/2.
        ccurl_set_long(easy, CURLOPT_PIPEWAIT, 1)
        ccurl_set_string(easy, CURLOPT_USERAGENT, settings.userAgent)
        // Set the proxy explicitly, so that libcurl does not read the environment and uses exactly the checked proxy.
        ccurl_set_string(easy, CURLOPT_NOPROXY, "")
        ccurl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        setTrust()
        ccurl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, Self.onHeaderLine)
        ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        ccurl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, Self.onBody)
        ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        ccurl_set_open_socket(easy, Self.onOpenSocket)
        ccurl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context)
        ccurl_set_prerequest(easy, Self.onRequest)
        ccurl_set_pointer(easy, CURLOPT_PREREQDATA, context)
    }

    private func setTrust() {
        let oldest = Int(CURL_SSLVERSION_TLSv1_2)
        for (verifiesPeer, verifiesHost, version, file, folder) in [
            (
                CURLOPT_SSL_VERIFYPEER, CURLOPT_SSL_VERIFYHOST, CURLOPT_SSLVERSION, CURLOPT_CAINFO, CURLOPT_CAPATH
            ),
            (
                CURLOPT_PROXY_SSL_VERIFYPEER, CURLOPT_PROXY_SSL_VERIFYHOST, CURLOPT_PROXY_SSLVERSION,
                CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH
            ),
        ] {
            ccurl_set_long(easy, verifiesPeer, 1)
            ccurl_set_long(easy, verifiesHost, 2)
            ccurl_set_long(easy, version, oldest)
            if let authorities = settings.authorities { ccurl_set_string(easy, file, authorities) }
            if let authorityFolder = settings.authorityFolder {
                ccurl_set_string(easy, folder, authorityFolder)
            } else if settings.authorities != nil {
                // Trust only the given authorities instead of the system's authorities.
                ccurl_set_string(easy, folder, nil)
            }
        }
        ccurl_set_long(easy, CURLOPT_CERTINFO, 1)
    }

    /// Returns a text value that libcurl provides for the transfer.
    func string(_ info: CURLINFO) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard ccurl_get_string(easy, info, &value) == CURLE_OK, let value else { return nil }
        return String(cString: value)
    }

    /// Returns a numeric value that libcurl provides for the transfer.
    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_long(easy, info, &value) == CURLE_OK ? value : 0
    }

    /// Returns the expiry of the server's own certificate in seconds since 1970. Ignores the remainder of the chain,
    /// because a server may send unnecessary certificates.
    func certificateEnd() -> Int? {
        var info: UnsafeMutablePointer<curl_certinfo>?
        guard request.url.scheme == "https", ccurl_get_certificates(easy, &info) == CURLE_OK, let info,
            info.pointee.num_of_certs > 0
        else { return nil }
        let prefix = "Expire date:"
        var entry = info.pointee.certinfo?[0]
        while let present = entry {
            let text = present.pointee.data.map { String(cString: $0) } ?? ""
            if text.hasPrefix(prefix) { return CertificateDate.seconds(String(text.dropFirst(prefix.count))) }
            entry = present.pointee.next
        }
        return nil
    }

    // These callbacks recover the transfer and call its methods. If a data callback returns a number other than the
    // byte count, libcurl aborts the transfer.

    private static let onHeaderLine:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
            data, size, count, context in
            guard let data, let transfer = transfer(context) else { return 0 }
            let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
            return transfer.receivedLine(bytes) ? size * count : 0
        }

    private static let onBody:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
            data, size, count, context in
            guard let data, let transfer = transfer(context) else { return 0 }
            let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
            return transfer.receivedBody(Array(bytes)) ? size * count : 0
        }

    /// Opens a socket for exactly the address that was checked.
    private static let onOpenSocket:
        @convention(c) (UnsafeMutableRawPointer?, curlsocktype, UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t =
            { context, _, address in
                guard let address, let transfer = transfer(context), let target = ccurl_address(address),
                    transfer.maySend(to: HostAddresses.ipAddress(target))
                else { return -1 }
                let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
                return socket(address.pointee.family, kind, address.pointee.protocol)
            }

    /// Called before each request is sent, on a new or a reused connection.
    private static let onRequest:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int32, Int32
        ) -> Int32 = { context, remote, _, _, _ in
            guard let transfer = transfer(context) else { return CURL_PREREQFUNC_ABORT }
            // Check the address again, because the connection may have been opened for a request with fewer
            // restrictions.
            guard transfer.maySend(to: remote.flatMap { IPAddress(String(cString: $0)) }) else {
                return CURL_PREREQFUNC_ABORT
            }
            return transfer.beginsSending() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }

    private static func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Returns whether a connection may lead to the address. The address of a proxy is always allowed, because the
    /// gateway's owner has configured it.
    private func maySend(to address: IPAddress?) -> Bool {
        guard proxy == nil else { return true }
        guard let address else {
            fault = OutboundFailure(
                .address,
                "Cannot connect to \(request.url.origin): its address has an unknown form. Check the name's DNS entry.")
            return false
        }
        guard let reason = request.reach.refusal(of: address, localAddresses: HostAddresses.current()) else {
            return true
        }
        refused = (address, reason)
        return false
    }

    /// Decides whether libcurl may send the request. libcurl itself retries when a reused connection turns out to be
    /// closed. A request that must not be repeated fails instead, and the caller decides whether to send it again.
    private func beginsSending() -> Bool {
        sendings += 1
        guard sendings > 1, !request.mayBeRepeated else { return true }
        fault = OutboundFailure(
            .connection,
            "\(request.url.origin) closed the connection without a response. It may have processed the request. Check "
                + "its state before you send the request again.")
        return false
    }
}
