internal import CCurl
package import EventLoop
import HTTPTypes

/// The upstream side of one loop: connections of its own, kept alive, for requests that may be repeated; libcurl's multi
/// interface for all others, each of which has a connection to itself.
///
/// HTTP/1.1 to one address only. Nothing may be removed from libcurl while one of its callbacks runs: what ends there
/// is put on a list and removed when libcurl has returned.
package final class UpstreamClient {
    let loop: EventLoop
    private let multi: UnsafeMutableRawPointer
    private let host: String
    let address: SocketAddress
    /// How long a connection may take to be made.
    let connectTimeout: Duration
    private var idleHandles: [EasyHandle] = []
    var sockets: [CurlSocket?] = []
    private(set) var running: [UpstreamExchange] = []
    var timer: LoopTimer?
    var isActionDue = false
    private var isInLibrary = false
    /// Exchanges whose answer has begun since libcurl was entered.
    private var touched: [UpstreamExchange] = []
    private var finishing: [UpstreamExchange] = []
    private var removing: [EasyHandle] = []

    var keptConnections = KeptConnections()
    /// How long a connection is kept after its last request was sent, at most.
    let keepTimeout: Duration
    var ageTimer: LoopTimer?
    var spareRequests: [[UInt8]] = []

    private static let keptHandles = 64
    private static let connectionStep = 8
    private var connectionLimit = 0
    /// How many exchanges libcurl carries.
    private var transfers = 0

    /// A client on `loop`. `host` is a numeric address as it stands in a URL, IPv6 in brackets; the Host field says
    /// 127.0.0.1 in any case. `connectTimeout`: loopback answers at once or not at all; a full accept queue is the one
    /// case in between. `keepTimeout`: how long a connection is kept after its last request was sent, at most; OpenCode 2 closes
    /// one that has rested for 5 s, and what is on its way to it then is lost.
    package init(
        loop: EventLoop, host: String = "127.0.0.1", connectTimeout: Duration = .seconds(5),
        keepTimeout: Duration = .seconds(4)
    ) throws(SetUpFailure) {
        guard Self.isLibraryReady else { throw SetUpFailure(description: "libcurl could not be initialised.") }
        guard let multi = curl_multi_init() else { throw SetUpFailure(description: "libcurl has no memory.") }
        guard let address = SocketAddress(host: host.filter { $0 != "[" && $0 != "]" }, port: 0) else {
            throw SetUpFailure(description: "\(host) is no numeric address.")
        }
        self.loop = loop
        self.host = host
        self.address = address
        self.connectTimeout = connectTimeout
        self.keepTimeout = keepTimeout
        self.multi = multi
        timer = loop.timer(self)
        ccurl_multi_set_context(multi, Unmanaged.passUnretained(self).toOpaque())
        ccurl_multi_set_callbacks(multi, Self.onSocket, Self.onTimer)
        limitConnections()
        ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    }

    /// The version of libcurl that is in use.
    package static var libraryVersion: String { String(cString: curl_version()) }

    /// Sends a request; `follower` is told what comes, never from within this call.
    package func start(_ request: borrowing UpstreamRequest, follower: any UpstreamFollower) -> UpstreamExchange? {
        // Every byte was checked when it came from the client (RequestFraming).
        assert(
            request.fields.holdsNoControlCharacter && request.target.allSatisfy { $0 > 0x20 },
            "a request with a line end in its target or fields must never come this far")
        let exchange = UpstreamExchange(client: self, request: request, follower: follower)
        if request.mayBeRepeated {
            list(exchange)
            exchange.begin(with: request)
        } else {
            guard let handle = idleHandles.popLast() ?? EasyHandle(client: self), handle.prepare(request, host: host)
            else { return nil }
            exchange.handle = handle
            handle.exchange = exchange
            list(exchange)
            transfers += 1
            limitConnections()
            enter { curl_multi_add_handle(multi, handle.pointer) }
        }
        return exchange
    }

    /// Who follows the exchanges that run now.
    package var followers: [any UpstreamFollower] { running.compactMap(\.follower) }

    private func list(_ exchange: UpstreamExchange) {
        exchange.listIndex = running.count
        running.append(exchange)
    }

    /// Sets how many connections libcurl may hold: those in use count, and those that have ended are not wanted.
    private func limitConnections() {
        let wanted = (transfers + Self.connectionStep) / Self.connectionStep * Self.connectionStep
        guard wanted != connectionLimit else { return }
        connectionLimit = wanted
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, wanted)
    }

    /// Ends everything and gives libcurl's memory back; to be called once, before the client goes: libcurl calls back
    /// meanwhile.
    package func stop() {
        for exchange in running { exchange.cancel() }
        for connection in keptConnections.removeAll() { connection.close() }
        if let timer { loop.cancel(timer) }
        timer = nil
        if let ageTimer { loop.cancel(ageTimer) }
        ageTimer = nil
        defer { curl_multi_cleanup(multi) }
        for handle in removing { curl_multi_remove_handle(multi, handle.pointer) }
        removing.removeAll()
        idleHandles.removeAll()
    }

    // MARK: For exchanges

    func unpause(_ exchange: UpstreamExchange, receiving: Bool, sending: Bool) {
        guard let handle = exchange.handle else { return }
        let pause = (receiving ? 0 : CURLPAUSE_RECV) | (sending ? 0 : CURLPAUSE_SEND)
        var code = CURLE_OK
        enter { code = curl_easy_pause(handle.pointer, pause) }
        // What was held back can be faulty, and then this result is all that tells.
        if code != CURLE_OK { exchange.finish(Self.result(code)) }
    }

    func settleAfterAction(_ exchange: UpstreamExchange) { touched.append(exchange) }

    func finishAfterAction(_ exchange: UpstreamExchange) { finishing.append(exchange) }

    /// The exchange has ended: its handle is used for another one.
    func release(_ exchange: UpstreamExchange) {
        forget(exchange)
        guard let handle = exchange.handle else { return }
        exchange.handle = nil
        handle.exchange = nil
        transfers -= 1
        if isInLibrary {
            removing.append(handle)
        } else {
            remove(handle)
        }
    }

    /// Takes an exchange off the list; again is harmless.
    private func forget(_ exchange: UpstreamExchange) {
        guard exchange.listIndex < running.count, running[exchange.listIndex] === exchange else { return }
        let last = running.removeLast()
        if last !== exchange {
            running[exchange.listIndex] = last
            last.listIndex = exchange.listIndex
        }
        let descriptor = Int(exchange.descriptor)
        if descriptor >= 0, descriptor < sockets.count, let entry = sockets[descriptor], entry.exchange === exchange {
            entry.exchange = nil
        }
    }

    private func remove(_ handle: EasyHandle) {
        isInLibrary = true
        curl_multi_remove_handle(multi, handle.pointer)
        isInLibrary = false
        handle.forgetRequest()
        if idleHandles.count < Self.keptHandles { idleHandles.append(handle) }
    }

    // MARK: Running libcurl

    func act(on descriptor: Int32, _ mask: Int32) {
        var count: Int32 = 0
        enter { curl_multi_socket_action(multi, descriptor, mask, &count) }
    }

    /// Calls libcurl, then does what its callbacks have left to be done.
    private func enter<Result>(_ body: () -> Result) {
        guard !isInLibrary else {
            // A callback's follower has asked for something that libcurl allows inside of one, such as unpausing.
            _ = body()
            return
        }
        isInLibrary = true
        _ = body()
        isInLibrary = false
        settle()
    }

    private func settle() {
        while let handle = removing.popLast() { remove(handle) }
        while let exchange = finishing.popLast() { exchange.finish(.complete) }
        readMessages()
        while let exchange = touched.popLast() { exchange.actionEnded() }
    }

    private func readMessages() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let result = Self.result(ccurl_message_result(message))
            handle(of: easy)?.exchange?.finish(result)
        }
    }

    private static func result(_ code: CURLcode) -> TransferResult {
        switch code {
        case CURLE_OK: .complete
        case CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT: .refused
        default: .failed(String(cString: curl_easy_strerror(code)))
        }
    }

    private func handle(of easy: UnsafeMutableRawPointer) -> EasyHandle? {
        var pointer: UnsafeMutableRawPointer?
        ccurl_get_private(easy, &pointer)
        return pointer.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_NOTHING)) == CURLE_OK
}

extension UpstreamClient: TimerHandler, PassHandler {
    /// libcurl's own deadline has passed, or kept connections have grown old.
    package func timerFired(_ timer: LoopTimer) {
        if timer === ageTimer { closeOld() } else { act(on: CURL_SOCKET_TIMEOUT, 0) }
    }

    /// libcurl has asked to be called at once.
    package func passEnded() {
        isActionDue = false
        act(on: CURL_SOCKET_TIMEOUT, 0)
    }
}
