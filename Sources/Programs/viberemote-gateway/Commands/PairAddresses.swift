// SPDX-License-Identifier: Apache-2.0

import Addresses
import JSONText
import Outbound
import Settings
import Systemd

/// The addresses at which a device can reach the gateway.
struct PairAddresses: Equatable {
    /// The URLs without a trailing slash, the best one first. The array is never empty.
    let urls: [String]
    /// Whether only programs on this machine can use the addresses.
    let areLocal: Bool

    /// The facts about this machine that determine its addresses.
    struct Machine {
        /// The addresses of the network interfaces that are up, without loopback addresses.
        var interfaces: [IPAddress] = []
        /// The output of `tailscale status --json`; nil if there is no such program.
        var tailscaleStatus: [UInt8]?
        /// The output of `tailscale serve status --json`; nil if there is none.
        var tailscaleServe: [UInt8]?
    }

    /// Finds the addresses of a gateway with these settings.
    ///
    /// The public URL takes precedence over the name in the tailnet, and this name over the addresses in the local network.
    init(publicURL: PublicURL?, listen: ListenAddress, _ machine: Machine) {
        if let publicURL {
            urls = [publicURL.description]
            areLocal = false
            return
        }
        let tailnet = Tailnet(machine)
        if let published = tailnet.published(port: listen.port) {
            urls = [published]
            areLocal = false
            return
        }
        let reachable = machine.interfaces.filter { listen.accepts($0) }
        if let name = tailnet.name, reachable.contains(where: tailnet.addresses.contains) {
            urls = ["http://\(name):\(listen.port)"]
            areLocal = false
            return
        }
        let found = reachable.filter { !tailnet.addresses.contains($0) }.map { "http://\($0.inURL):\(listen.port)" }
        areLocal = found.isEmpty
        urls = found.isEmpty ? ["http://127.0.0.1:\(listen.port)"] : found
    }
}

extension PairAddresses.Machine {
    /// Reads the facts about this machine.
    static func current() -> Self {
        var machine = Self()
        machine.interfaces = (HostAddresses.current() ?? []).filter { !$0.isLoopback && !$0.isLinkLocal }
            .sorted { $0.preference < $1.preference }
        machine.tailscaleStatus = output(of: ["tailscale", "status", "--json"])
        if machine.tailscaleStatus != nil {
            machine.tailscaleServe = output(of: ["tailscale", "serve", "status", "--json"])
        }
        return machine
    }

    private static func output(of words: [String]) -> [UInt8]? {
        // The gateway's own variables can contain keys.
        let environment = Environment.variables.filter { !$0.key.hasPrefix("VIBE_") }
        guard case .output(let bytes)? = try? CommandQuery.run(words, environment: environment) else {
            return nil
        }
        return bytes
    }
}

/// This machine in its tailnet, as the program `tailscale` describes it.
private struct Tailnet {
    /// The name of this machine; nil if it is not connected to a tailnet.
    private(set) var name: String?
    private(set) var addresses: [IPAddress] = []
    private var serve: JSONObject?

    init(_ machine: PairAddresses.Machine) {
        guard let status = machine.tailscaleStatus.flatMap({ JSONObject(jsonText: $0) }),
            status["BackendState"].flatMap({ try? String(json: $0) }) == "Running",
            case .object(let own)? = status["Self"]
        else { return }
        let names = own["DNSName"].flatMap { try? String(json: $0) } ?? ""
        // The name is absolute, so it ends with a dot.
        name = names.isEmpty ? nil : String(names.hasSuffix(".") ? names.dropLast() : names[...])
        addresses = (own["TailscaleIPs"].flatMap { try? [String](json: $0) } ?? []).compactMap { IPAddress($0) }
        serve = machine.tailscaleServe.flatMap { JSONObject(jsonText: $0) }
    }

    /// Returns the URL at which `tailscale serve` publishes a port of this machine; nil if it does not.
    func published(port: UInt16) -> String? {
        guard case .object(let sites)? = serve?["Web"] else { return nil }
        let targets = ["127.0.0.1", "localhost", "[::1]"].map { "http://\($0):\(port)" }
        for site in sites.members {
            guard case .object(let content) = site.value, case .object(let handlers)? = content["Handlers"],
                case .object(let root)? = handlers["/"], let proxy = root["Proxy"].flatMap({ try? String(json: $0) }),
                targets.contains(proxy.hasSuffix("/") ? String(proxy.dropLast()) : proxy)
            else { continue }
            return "https://\(site.name.hasSuffix(":443") ? String(site.name.dropLast(4)) : site.name)"
        }
        return nil
    }
}

extension ListenAddress {
    /// Returns whether a gateway that listens on this address accepts connections to an address of this machine.
    fileprivate func accepts(_ address: IPAddress) -> Bool {
        switch host {
        case "0.0.0.0": address.isIPv4
        // An IPv6 socket also accepts connections over IPv4 (ipv6(7), IPV6_V6ONLY).
        case "::": true
        default: IPAddress(host) == address
        }
    }
}

extension IPAddress {
    /// Whether the address is valid only within one link (RFC 3927, RFC 4291 §2.5.6). A URL would need its interface.
    fileprivate var isLinkLocal: Bool {
        ipv4.map { $0 >> 16 == 0xA9FE } ?? (ipv6.high >> 54 == 0xFE80 >> 6)
    }

    /// A text that sorts addresses. Home networks usually have addresses in 192.168.0.0/16 or 10.0.0.0/8, and the networks
    /// of containers in 172.16.0.0/12 (RFC 1918).
    fileprivate var preference: String {
        let rank = description.hasPrefix("192.168.") ? 0 : description.hasPrefix("10.") ? 1 : isIPv4 ? 2 : 3
        return "\(rank) \(description)"
    }

    /// The address as the host of a URL (RFC 3986 §3.2.2).
    fileprivate var inURL: String { isIPv4 ? description : "[\(description)]" }
}
