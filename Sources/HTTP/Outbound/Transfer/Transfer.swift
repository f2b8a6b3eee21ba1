// SPDX-License-Identifier: Apache-2.0

internal import Addresses
internal import CCurl

/// A running request including its redirects. The object is confined to the transfer thread.
final class Transfer {
    /// The action after one of libcurl's transfers has ended.
    enum TransferResult {
        /// Follow a redirect with another transfer.
        case again
        /// The request has ended, successfully or with a failure.
        case ended(OutboundFailure?)
    }

    let id: UInt64
    let easy: UnsafeMutableRawPointer
    private(set) var request: OutboundRequest
    let settings: OutboundSettings
    private(set) var proxy: ProxyEnvironment.Proxy?
    /// The reason why this module aborted the transfer, if it did.
    var fault: OutboundFailure?
    /// The last refused address and the reason.
    var refused: (address: IPAddress, reason: String)?
    /// The number of times that libcurl has started to send the request.
    var sendings = 0

    private let deadline: ContinuousClock.Instant
    private let receive: @Sendable (OutboundEvent) -> Void
    private var head = AnswerHeadReader()
    private var length = 0
    private var isRedirect = false
    private var fieldLines: UnsafeMutablePointer<curl_slist>?
    /// Whether an earlier server has received the request and redirected it.
    private var hasArrived = false
    private var errorText = ErrorText()

    init?(_ order: Inbox.Order, _ settings: OutboundSettings) {
        guard let easy = ccurl_easy_init() else { return nil }
        self.easy = easy
        self.settings = settings
        id = order.id
        request = order.request
        deadline = order.deadline
        receive = order.receive
        configure()
        errorText.attach(to: easy)
    }

    deinit {
        ccurl_easy_cleanup(easy)
        ccurl_slist_free_all(fieldLines)
    }

    /// Prepares the handle for the request. Returns a failure if the request must not be sent.
    func prepare() -> OutboundFailure? {
        let url = request.url
        proxy = settings.proxies.proxy(for: url)
        if let proxy, let reason = request.reach.refusal(viaProxy: url, localAddresses: HostAddresses.current()) {
            return OutboundFailure(
                .address,
                "\(url.origin) was not contacted through the proxy (\(proxy.variable)): its host is \(reason). Use a name of "
                    + "the public Internet, or allow that network.")
        }
        let left = deadline - .now
        guard left > .zero else { return timedOut() }
        head = AnswerHeadReader()
        length = 0
        isRedirect = false
        fault = nil
        refused = nil
        sendings = 0
        guard setFields() else {
            return OutboundFailure(.unavailable, "There is not enough memory for a request to \(url.origin).")
        }
        ccurl_set_string(easy, CURLOPT_URL, url.text)
        let version = request.usesFirstVersion ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS
        ccurl_set_long(easy, CURLOPT_HTTP_VERSION, Int(version))
        let usedProxy = request.reach.isUnlimited ? proxy : proxy?.lookingNamesUp
        ccurl_set_string(easy, CURLOPT_PROXY, usedProxy?.text ?? "")
        ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, max(1, Int(left / .milliseconds(1))))
        ccurl_set_long(
            easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(min(request.connectTimeout, left) / .milliseconds(1))))
        setMethod()
        return nil
    }

    private func setFields() -> Bool {
        ccurl_set_fields(easy, nil)
        ccurl_slist_free_all(fieldLines)
        fieldLines = nil
        // A name followed only by a colon prevents libcurl from adding the field. A name followed by a semicolon sends
        // the field with an empty value.
        let names = Set(request.fields.map { $0.name.lowercased() })
        let suppressed = ["Accept", "Content-Type", "Expect"].filter { !names.contains($0.lowercased()) }
        let lines =
            request.fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
            + suppressed.map { "\($0):" }
        for line in lines {
            guard let longer = ccurl_slist_append(fieldLines, line) else { return false }
            fieldLines = longer
        }
        ccurl_set_fields(easy, fieldLines)
        return true
    }

    private func setMethod() {
        ccurl_set_long(easy, CURLOPT_HTTPGET, 1)
        ccurl_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method)
        if request.method == "HEAD" {
            ccurl_set_long(easy, CURLOPT_NOBODY, 1)
        } else if let body = request.body {
            ccurl_set_long(easy, CURLOPT_POST, 1)
            ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, Int64(body.count))
            // libcurl copies the body before the call returns. Append a byte, because an empty body also needs a valid
            // pointer.
            (body + [0]).withUnsafeBytes { bytes in
                _ = ccurl_set_pointer(
                    easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            }
        } else if request.method == "POST" {
            ccurl_set_long(easy, CURLOPT_POST, 1)
            ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, 0)
            ccurl_set_string(easy, CURLOPT_COPYPOSTFIELDS, "")
        }
    }

    /// Processes a line of the response's head. Returns false to abort the transfer.
    func receivedLine(_ line: some Collection<UInt8>) -> Bool {
        switch head.parse(line) {
        case .more: return true
        case .fault(let reason):
            fault = OutboundFailure(
                .answer,
                "\(request.url.origin) does not respond as a web server does: \(reason). Check which program listens there."
            )
            return false
        case .whole:
            let hasTarget = head.fields.contains { $0.name.lowercased() == "location" }
            isRedirect = hasTarget && request.mostRedirects >= 0 && request.follows(head.status) && followsRedirects
            if !isRedirect {
                receive(
                    .head(
                        OutboundHead(
                            status: head.status, fields: head.fields, version: head.version, url: request.url,
                            certificateEnd: certificateEnd())))
            }
            return true
        }
    }

    /// Whether the caller wants redirects to be followed; if false, each redirect is returned as a response.
    private lazy var followsRedirects = request.mostRedirects > 0

    /// Processes a part of the response's body. Returns false to abort the transfer.
    func receivedBody(_ bytes: [UInt8]) -> Bool {
        let most = min(request.longestAnswer, OutboundRequest.longestAnswer)
        length += bytes.count
        guard length <= most else {
            fault = OutboundFailure(
                .size, "The response of \(request.url.origin) is longer than \(most) bytes. Request a smaller response."
            )
            return false
        }
        if !isRedirect { receive(.bytes(bytes)) }
        return true
    }

    /// Returns the action after libcurl has ended its transfer.
    func outcome(_ result: CURLcode) -> TransferResult {
        guard result == CURLE_OK else { return .ended(failure(result)) }
        if isRedirect { return redirect() }
        guard head.isWhole else {
            return .ended(
                OutboundFailure(
                    .answer, "\(request.url.origin) sent no complete response. Check which program listens there."))
        }
        return .ended(nil)
    }

    private func redirect() -> TransferResult {
        hasArrived = true
        guard request.mostRedirects > 0 else {
            return .ended(
                OutboundFailure(
                    .redirect, "\(request.url.origin) redirects too often. Use the URL to which it finally leads."))
        }
        guard let text = string(CURLINFO_REDIRECT_URL) else {
            return .ended(
                OutboundFailure(
                    .redirect, "\(request.url.origin) redirects to an invalid URL. Correct the redirect on the server.")
            )
        }
        // Allow only https after https, because a redirect from a TLS server must not lead to a plain connection.
        let schemes = request.url.scheme == "https" ? .https : request.schemes
        do throws(OutboundURL.Invalid) {
            request = request.redirected(to: try OutboundURL(text, allowing: schemes))
            return .again
        } catch {
            return .ended(
                OutboundFailure(
                    .redirect, "\(request.url.origin) redirects to a URL that is not allowed. \(error.description)"))
        }
    }

    private func failure(_ result: CURLcode) -> OutboundFailure {
        if result == CURLE_OPERATION_TIMEDOUT { return timedOut() }
        if let fault { return fault }
        if let refused, [CURLE_COULDNT_CONNECT, CURLE_ABORTED_BY_CALLBACK].contains(result) {
            return OutboundFailure(
                .address,
                "\(request.url.origin) was not contacted: \(refused.address) is \(refused.reason). Use an address of the "
                    + "public Internet, or allow that network.")
        }
        return FailureText(transfer: self, detail: errorText.text).failure(result)
    }

    private func timedOut() -> OutboundFailure {
        let what =
            sendings == 0 ? "could not be reached" : head.isWhole ? "did not complete its response" : "did not respond"
        return OutboundFailure(
            .time,
            "\(request.url.origin) \(what) in time. Check that its server works, and that no firewall blocks "
                + "the connection.")
    }

    /// Sends the final event. No further event follows.
    func finish(_ failure: OutboundFailure?) {
        var failure = failure
        failure?.mayHaveArrived = hasArrived || sendings > 0
        receive(.ended(failure))
    }
}
