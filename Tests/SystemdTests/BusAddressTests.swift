// SPDX-License-Identifier: Apache-2.0

import Systemd
import Testing

@Suite("Addresses of service managers")
struct BusAddressTests {
    @Test(
        arguments: [
            (
                .user, [:], 1000, "/run/user/1000",
                ["unix:path=/run/user/1000/systemd/private", "unix:path=/run/user/1000/bus"]
            ),
            (
                .user, ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/tmp/b"], 1000, "/run/user/1000",
                ["unix:path=/run/user/1000/systemd/private", "unix:path=/tmp/b"]
            ),
            (.user, ["DBUS_SESSION_BUS_ADDRESS": ""], 1000, nil, []),
            (
                .user, [:], 1000, "/a b,ü",
                ["unix:path=/a%20b%2C%C3%BC/systemd/private", "unix:path=/a%20b%2C%C3%BC/bus"]
            ),
            (.system, [:], 0, nil, ["unix:path=/run/systemd/private", "unix:path=/run/dbus/system_bus_socket"]),
            (.system, [:], 1000, "/run/user/1000", ["unix:path=/run/dbus/system_bus_socket"]),
            (.system, ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/tmp/s"], 1000, nil, ["unix:path=/tmp/s"]),
        ] as [(ManagerScope, [String: String], UInt32, String?, [String])])
    func `the service manager's own socket precedes the bus if the user may use it`(
        scope: ManagerScope, environment: [String: String], user: UInt32, folder: String?, expected: [String]
    ) {
        let addresses = BusAddress.of(scope, environment: environment, user: user, runtimeFolder: folder)

        #expect(addresses.map(\.text) == expected)
        #expect(addresses.map(\.isBus) == expected.map { !$0.hasSuffix("/private") })
    }
}
