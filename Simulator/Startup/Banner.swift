// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The output lines that contain the port and the password.
struct Banner {
    /// The text before the address.
    private let words: String
    /// The beginning of the address, before the port. An IPv6 address has no brackets.
    private let start: String
    let port: UInt16
    /// The password that the server has generated; nil if it has generated none.
    var password: String?

    /// Creates the banner of a version.
    init(_ start: Profile.Start, _ address: Loopback, port: UInt16, password: String?) {
        words = start.banner
        self.start = "http://\(address == .ipv4 ? "127.0.0.1" : "::1"):"
        self.port = port
        self.password = password
    }

    /// The address as the banner contains it.
    var address: String { "\(start)\(port)" }

    /// Returns the output for a broken configuration file, including colour codes. The recorded list of errors is
    /// longer.
    static func brokenConfiguration(home: String) -> String {
        """
        \u{1b}[91m\u{1b}[1mError: \u{1b}[0mConfig file at \(home)/.config/opencode/opencode.json is not valid JSON(C):\u{20}
        --- JSONC Input ---
        { this is not json
        --- Errors ---
        InvalidSymbol at line 1, column 3
           Line 1: { this is not json
                    ^

        """
    }

    /// Prints the banner in the given manner, and then prints the generated password.
    func print(_ manner: Misbehaviour.Banner) {
        switch manner {
        case .never: return
        case .atOnce: print(port)
        case .late(let delay):
            wait(delay)
            print(port)
        case .split:
            let digits = "\(port)"
            Console.write("\(words) \(start)\(digits.prefix(2))")
            wait(.milliseconds(50))
            Console.write("\(digits.dropFirst(2))\n")
        case .twice:
            print(port)
            print(port)
        case .followed(let other):
            print(port)
            print(other)
        }
        if let password { Console.write("server password \(password)\n") }
    }

    private func print(_ port: UInt16) { Console.write("\(words) \(start)\(port)\n") }

    private func wait(_ time: Duration) {
        _ = Latch("the time of a late banner").isOpened(within: time)
    }
}
