// SPDX-License-Identifier: Apache-2.0

import Addresses
import Settings
import TestThreads
import Testing

@testable import viberemote_gateway

/// Tests which addresses `viberemote-gateway pair` offers to a device.
@Suite(.onTestThreads) struct PairAddressesTests {
    private static let everywhere = ListenAddress(host: "0.0.0.0", port: 4000)
    private static let loopback = ListenAddress(host: "127.0.0.1", port: 4000)
    // The form of `tailscale status --json` (ipnstate.Status), with the members that matter.
    private static let status = Array(
        #"{"BackendState":"Running","Self":{"DNSName":"box.tail1234.ts.net.","TailscaleIPs":["100.64.0.7","fd7a::7"]}}"#
            .utf8)

    private func machine(_ interfaces: String..., status: [UInt8]? = nil, serve: String? = nil) -> PairAddresses.Machine
    {
        var machine = PairAddresses.Machine()
        machine.interfaces = interfaces.compactMap { IPAddress($0) }
        machine.tailscaleStatus = status
        machine.tailscaleServe = serve.map { Array($0.utf8) }
        return machine
    }

    private func addresses(_ listen: ListenAddress, _ machine: PairAddresses.Machine) -> PairAddresses {
        PairAddresses(publicURL: nil, listen: listen, machine)
    }

    @Test func `the addresses of the local network are offered if the gateway listens on them`() {
        let found = addresses(Self.everywhere, machine("192.168.1.5", "10.0.0.2", "fd00::1"))

        #expect(found.urls == ["http://192.168.1.5:4000", "http://10.0.0.2:4000"])
        #expect(!found.areLocal)
        #expect(
            addresses(ListenAddress(host: "::", port: 4000), machine("192.168.1.5", "fd00::1")).urls
                == ["http://192.168.1.5:4000", "http://[fd00::1]:4000"])
        #expect(
            addresses(ListenAddress(host: "10.0.0.2", port: 80), machine("192.168.1.5", "10.0.0.2")).urls
                == ["http://10.0.0.2:80"])
    }

    @Test func `a gateway that listens only on the loopback address has no address for devices`() {
        for machine in [machine("192.168.1.5"), machine("100.64.0.7", status: Self.status), machine()] {
            let found = addresses(Self.loopback, machine)

            #expect(found.areLocal)
            #expect(found.urls == ["http://127.0.0.1:4000"])
        }
    }

    @Test func `the name in the tailnet precedes the local network, if the gateway listens there`() {
        let tailnet = machine("100.64.0.7", "192.168.1.5", status: Self.status)

        #expect(addresses(Self.everywhere, tailnet).urls == ["http://box.tail1234.ts.net:4000"])
        #expect(
            addresses(ListenAddress(host: "192.168.1.5", port: 4000), tailnet).urls == ["http://192.168.1.5:4000"])
        // A machine that is not connected has no name.
        let stopped = Array(#"{"BackendState":"Stopped","Self":{"DNSName":"box.tail1234.ts.net."}}"#.utf8)
        #expect(
            addresses(Self.everywhere, machine("192.168.1.5", status: stopped)).urls == ["http://192.168.1.5:4000"])
        #expect(
            addresses(Self.everywhere, machine("192.168.1.5", status: Array("no JSON".utf8))).urls
                == ["http://192.168.1.5:4000"])
    }

    @Test func `a port that tailscale publishes is reachable over TLS`() {
        func serve(_ site: String, _ proxy: String, path: String = "/") -> PairAddresses.Machine {
            machine(
                "100.64.0.7", status: Self.status,
                serve: #"{"Web":{"\#(site)":{"Handlers":{"\#(path)":{"Proxy":"\#(proxy)"}}}}}"#)
        }
        let name = "box.tail1234.ts.net"

        #expect(addresses(Self.loopback, serve("\(name):443", "http://127.0.0.1:4000")).urls == ["https://\(name)"])
        #expect(
            addresses(Self.loopback, serve("\(name):8443", "http://localhost:4000/")).urls == ["https://\(name):8443"])
        #expect(addresses(Self.loopback, serve("\(name):443", "http://127.0.0.1:9999")).areLocal)
        // The gateway's paths are at the root.
        #expect(addresses(Self.loopback, serve("\(name):443", "http://127.0.0.1:4000", path: "/gateway")).areLocal)
    }
}
