internal import Addresses
internal import CCurl
internal import Glibc

/// What is set once in each of libcurl's handles, and what they call.
extension Transfer {
    func configure() {
        let own = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_pointer(easy, CURLOPT_PRIVATE, own)
        ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        // Giving up does not wait for a name server that is silent.
        ccurl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        // Each redirect is judged here, as the first URL was.
        ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        ccurl_set_string(easy, CURLOPT_REDIR_PROTOCOLS_STR, "")
        // Requests to one server share a connection where it speaks HTTP/2.
        ccurl_set_long(easy, CURLOPT_PIPEWAIT, 1)
        ccurl_set_string(easy, CURLOPT_USERAGENT, settings.userAgent)
        // Set, so that libcurl reads no environment by itself: what is judged is what is used.
        ccurl_set_string(easy, CURLOPT_NOPROXY, "")
        ccurl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        setTrust()
        ccurl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, Self.onHeaderLine)
        ccurl_set_pointer(easy, CURLOPT_HEADERDATA, own)
        ccurl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, Self.onBody)
        ccurl_set_pointer(easy, CURLOPT_WRITEDATA, own)
        ccurl_set_open_socket(easy, Self.onOpenSocket)
        ccurl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, own)
        ccurl_set_prerequest(easy, Self.onRequest)
        ccurl_set_pointer(easy, CURLOPT_PREREQDATA, own)
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
            if let own = settings.authorities { ccurl_set_string(easy, file, own) }
            if let own = settings.authorityFolder {
                ccurl_set_string(easy, folder, own)
            } else if settings.authorities != nil {
                // Not the system's besides.
                ccurl_set_string(easy, folder, nil)
            }
        }
        ccurl_set_long(easy, CURLOPT_CERTINFO, 1)
    }

    /// A piece of text that libcurl knows of a transfer.
    func string(_ info: CURLINFO) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard ccurl_get_string(easy, info, &value) == CURLE_OK, let value else { return nil }
        return String(cString: value)
    }

    /// A number that libcurl knows of a transfer.
    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_long(easy, info, &value) == CURLE_OK ? value : 0
    }

    /// When the server's own certificate ends, in seconds since 1970. The others of its chain don't count: a server may
    /// send some that nobody needs.
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

    // The thunks recover the transfer and call one method. Another number than that of the bytes ends it.

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

    /// Opens a socket to the very address that was judged.
    private static let onOpenSocket:
        @convention(c) (UnsafeMutableRawPointer?, curlsocktype, UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t =
            { context, _, address in
                guard let address, let transfer = transfer(context), let target = ccurl_address(address),
                    transfer.maySend(to: OwnAddresses.read(target))
                else { return -1 }
                let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
                return socket(address.pointee.family, kind, address.pointee.protocol)
            }

    /// Called before each request goes out, on a connection that was just made or on one that is kept.
    private static let onRequest:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int32, Int32
        ) -> Int32 = { context, remote, _, _, _ in
            guard let transfer = transfer(context) else { return CURL_PREREQFUNC_ABORT }
            // A connection may have been made for a request that is allowed more than this one.
            guard transfer.maySend(to: remote.flatMap { IPAddress(String(cString: $0)) }) else {
                return CURL_PREREQFUNC_ABORT
            }
            return transfer.beginsSending() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }

    private static func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Judges the address to which a connection leads; the proxy's own is its owner's choice.
    private func maySend(to address: IPAddress?) -> Bool {
        guard proxy == nil else { return true }
        guard let address else {
            fault = OutboundFailure(.address, "\(request.url.origin) is not asked: its address can't be read.")
            return false
        }
        guard let reason = request.reach.refusal(of: address, own: OwnAddresses.current()) else { return true }
        refused = (address, reason)
        return false
    }

    /// libcurl sends again by itself when a kept connection turns out to be closed. What must not be repeated is not:
    /// who asked decides.
    private func beginsSending() -> Bool {
        sendings += 1
        guard sendings > 1, !request.mayBeRepeated else { return true }
        fault = OutboundFailure(
            .connection,
            "\(request.url.origin) closed the connection before it answered, and may have taken the request: look "
                + "before it is sent again.")
        return false
    }
}
