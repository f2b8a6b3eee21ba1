// SPDX-License-Identifier: Apache-2.0

internal import Encodings
import Glibc
import HTTPTypes
import Outbound
import Settings

/// The check of the gateway at the address of `--public-url`. The check reaches the gateway as clients
/// do, through any proxy.
struct PublicCheck {
    private let url: PublicURL
    private let configuration: Configuration
    private let outbound: Outbound

    /// The minimum remaining validity of the certificate in days. Certificates are usually renewed a
    /// month before they expire.
    private static let leastDays = 14
    private static let comments = 5
    private static let interval = Duration.milliseconds(200)

    /// Runs the check. Does nothing if `--public-url` is not set.
    static func run(_ configuration: Configuration, _ report: inout CheckReport) {
        guard let url = configuration.publicURL else { return }
        var settings = OutboundSettings(environment: Environment.variables)
        settings.userAgent = "\(GatewayVersion.program)/\(GatewayVersion.number)"
        do throws(OutboundFailure) {
            let outbound = try Outbound(settings)
            defer { outbound.stop() }
            PublicCheck(url: url, configuration: configuration, outbound: outbound).run(&report)
        } catch {
            report.add(.problem, error.description)
        }
    }

    private func run(_ report: inout CheckReport) {
        guard let version = checkReachable(&report) else { return }
        guard let key = configuration.keys.first else {
            return report.add(.note, "Streams and projects at \(shown) are not checked, because no key is set.")
        }
        guard checkKey(key, &report) else { return }
        // Check both HTTP versions, because a proxy may forward immediately in one version and buffer in the other.
        // Without `proxy_buffering off`, nginx buffers HTTP/1.1, which many clients use.
        if checkStream(with: key, over: .one, into: &report), version == .two {
            _ = checkStream(with: key, over: .two, into: &report)
        }
    }

    private var shown: String { "\(url) (--public-url)" }

    /// Checks whether a gateway responds, and how long the certificate of the address is valid. Returns the HTTP
    /// version of the response.
    private func checkReachable(_ report: inout CheckReport) -> OutboundHead.Version? {
        let call = send("/health", key: nil)
        guard let head = call.head, call.failure == nil else {
            report.add(.problem, "Cannot reach a gateway at \(shown): \(reason(call))")
            return nil
        }
        guard GatewayCall.isHealth(status: head.status, body: call.body) else {
            report.add(.problem, other(head))
            return nil
        }
        report.add(.good, "\(shown): a gateway responds over \(head.version.name)")
        checkCertificate(head, &report)
        return head.version
    }

    /// Returns the error for a response from a server that is not a gateway.
    private func other(_ head: OutboundHead) -> String {
        if (300...399).contains(head.status), let location = head["location"] {
            let target = (try? OutboundURL(location, allowing: .httpToo))?.origin ?? "another path"
            return
                "\(shown) redirects clients to \(target). Set --public-url to an address that does not redirect: clients do "
                + "not send their key to the target of a redirect."
        }
        let pass =
            "configure the proxy there to forward all requests to \(configuration.listen) (see deploy/nginx.conf and "
            + "deploy/Caddyfile)."
        return (502...504).contains(head.status)
            ? "A proxy responds with \(head.status) at \(shown), because it cannot reach a gateway. Start the gateway, and \(pass)"
            : "A program that is not a gateway responds to GET /health at \(shown) with \(head.status). To reach a gateway, \(pass)"
    }

    private func checkCertificate(_ head: OutboundHead, _ report: inout CheckReport) {
        guard url.isEncrypted else {
            return report.add(
                .note,
                "\(shown) is not encrypted, so the network can read the key. Put a reverse proxy with TLS in front of the "
                    + "gateway (deploy/nginx.conf, deploy/Caddyfile).")
        }
        guard let end = head.certificateEnd else {
            return report.add(.note, "Cannot read the expiry date of the certificate of \(url).")
        }
        let days = (end - time(nil)) / 86_400
        if days >= Self.leastDays {
            report.add(.good, "the certificate of \(url) is valid for \(days) more days")
        } else {
            report.add(
                .problem,
                "The certificate of \(url) expires in \(days) \(days == 1 ? "day" : "days"). Renew it, and check why automatic "
                    + "renewal failed (certbot: `certbot renew --dry-run`; Caddy: `journalctl -u caddy`).")
        }
    }

    /// Checks whether the gateway accepts the key and has the projects of this machine. Another gateway with equal
    /// projects cannot be distinguished from this machine's gateway. Returns whether the gateway accepts the key.
    private func checkKey(_ key: NamedKey, _ report: inout CheckReport) -> Bool {
        let call = send("/projects", key: key)
        guard let head = call.head, call.failure == nil else {
            report.add(.problem, "\(shown) does not respond to a request with the key: \(reason(call))")
            return false
        }
        guard head.status == 200 else {
            report.add(.problem, refusal(head.status, key))
            return false
        }
        switch localProjects(key) {
        case nil:
            report.add(
                .note,
                "No gateway that accepts this key responds on \(configuration.listen), so \(url) may lead to another gateway. "
                    + "Start the gateway and run this check again.")
        case call.body:
            report.add(.good, "\(url) leads to a gateway that accepts the key and has the projects of this machine")
        // A project may have been added between the two requests, so compare the lists again.
        case .some where areEqualNow(key):
            report.add(.good, "\(url) leads to a gateway that accepts the key and has the projects of this machine")
        case .some:
            report.add(
                .problem,
                "\(shown) leads to another gateway, whose projects differ from those of the gateway on "
                    + "\(configuration.listen). Configure the proxy there to forward requests to "
                    + "\(configuration.listen).")
        }
        return true
    }

    private func refusal(_ status: Int, _ key: NamedKey) -> String {
        switch status {
        case 401:
            "The gateway at \(shown) rejects the key of \(key.name). Check that this is the right gateway, that it has "
                + "reloaded its keys (SIGHUP), and that no proxy removes the Authorization field."
        case 429:
            "The gateway at \(shown) has received too many wrong keys from this machine (429). Try again in a minute."
        default:
            "The gateway at \(shown) responds to GET /projects with \(status). See that gateway's log for the reason."
        }
    }

    /// Returns whether a second request finds equal lists of projects. If one list is unavailable, the
    /// lists count as equal.
    private func areEqualNow(_ key: NamedKey) -> Bool {
        let local = localProjects(key)
        let call = send("/projects", key: key)
        guard let local, call.failure == nil, call.head?.status == 200 else { return true }
        return local == call.body
    }

    /// Returns the list of projects of the gateway on this machine; nil if there is no gateway that accepts the key.
    private func localProjects(_ key: NamedKey) -> [UInt8]? {
        let answer = try? GatewayCall.perform(.get, "/projects", to: configuration.listen, key: key.secret)
        return answer.flatMap { $0.status == 200 ? $0.body : nil }
    }

    /// Checks streams over one HTTP version. Returns false if the other version does not need to be checked.
    private func checkStream(with key: NamedKey, over version: OutboundHead.Version, into report: inout CheckReport)
        -> Bool
    {
        let address = "\(shown) over \(version.name)"
        var call = send("/check/stream", key: key, version)
        guard let head = call.head else {
            report.add(.problem, "No event stream arrives through \(address): \(reason(call))")
            return false
        }
        guard head.status == 200 else {
            let sentence = "\(shown) responds to GET /check/stream with \(head.status), so streams are not checked"
            report.add(
                head.status == 404 ? .note : .problem,
                sentence + (head.status == 404 ? ". Upgrade the gateway that runs there." : ". See that gateway's log.")
            )
            return false
        }
        var verdict = call.arrivals.verdict
        if !verdict.isGood {
            // On a busy machine, an unbuffered path can appear buffered, so check again and use the better result.
            call = send("/check/stream", key: key, version)
            verdict = StreamArrivals.better(verdict, call.arrivals.verdict)
        }
        report.add(verdict, at: address, of: Self.comments)
        checkAbort(with: key, over: version, at: address, into: &report)
        return true
    }

    /// Checks that an aborted stream does not look complete.
    private func checkAbort(
        with key: NamedKey, over version: OutboundHead.Version, at address: String, into report: inout CheckReport
    ) {
        let call = send("/check/stream?end=abort", key: key, version)
        // An older gateway ignores the parameter and sends all comments, so the check is not possible.
        let isSupported = call.body.split(separator: UInt8(ascii: "\n")).count < Self.comments
        guard call.head?.status == 200, call.failure == nil, isSupported else { return }
        report.add(
            .problem,
            "An aborted stream appears complete through \(address), so clients such as OpenCode's SDK do not reconnect. "
                + "Caddy before 2.7.6 causes this. Install a later version from caddyserver.com, or use nginx."
        )
    }

    /// Sends a request for a path below the address.
    private func send(_ path: String, key: NamedKey?, _ version: OutboundHead.Version = .two) -> OutboundCall {
        let arrivals = StreamArrivals(count: Self.comments, interval: Self.interval)
        let target: OutboundURL
        do throws(OutboundURL.Invalid) {
            target = try OutboundURL(url.description + path, allowing: .httpToo)
        } catch {
            let failure = OutboundFailure(invalid: error)
            return OutboundCall(head: nil, body: [], arrivals: arrivals, failure: failure)
        }
        var request = OutboundRequest("GET", target)
        // Allow every address, because the address belongs to the gateway's owner and may be on this machine.
        request.reach = .everywhere
        request.mostRedirects = 0
        request.usesFirstVersion = version == .one
        request.timeout = .seconds(15)
        request.fields = [
            OutboundField("Accept", path.hasPrefix("/check/stream") ? "text/event-stream" : "application/json")
        ]
        if let key {
            request.fields.append(
                OutboundField("Authorization", "Bearer " + String(decoding: key.secret.bytes, as: UTF8.self)))
        }
        return OutboundCall.perform(request, of: outbound, timing: arrivals)
    }

    private func reason(_ call: OutboundCall) -> String { call.failure?.description ?? "The server did not respond." }
}

extension OutboundHead.Version {
    fileprivate var name: String {
        switch self {
        case .one: "HTTP/1.1"
        case .two: "HTTP/2"
        }
    }
}

extension StreamArrivals.Verdict {
    fileprivate var isGood: Bool {
        if case .good = self { return true }
        return false
    }
}

extension CheckReport {
    fileprivate mutating func add(_ verdict: StreamArrivals.Verdict, at address: String, of count: Int) {
        switch verdict {
        case .good(let time):
            add(
                .good,
                "streams pass \(address) without delay: \(count) comments arrived one by one in \(Self.seconds(time))")
        case .slow(let time):
            add(
                .note,
                "Streams pass \(address) with delay: \(count) comments that were sent in 1 s arrived in \(Self.seconds(time)). Check "
                    + "the network and the load of the proxy there.")
        case .buffered:
            add(
                .problem,
                "A proxy buffers streams through \(address): the \(count) comments did not arrive one by one. Disable "
                    + "buffering: in nginx, set `proxy_buffering off;` in the location and remove `gzip`; in Caddy, remove "
                    + "`response_buffers` and `encode`. deploy/nginx.conf and deploy/Caddyfile are complete examples.")
        case .cut(let number):
            add(
                .problem,
                "A stream through \(address) ended after \(number) of \(count) comments. Raise the proxy's timeout for responses "
                    + "(nginx `proxy_read_timeout 24h;`, Caddy `read_timeout 24h`).")
        }
    }

    private static func seconds(_ time: Duration) -> String {
        Duration.milliseconds(time.milliseconds / 100 * 100).text(.seconds)
    }
}
