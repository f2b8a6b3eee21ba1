import TestKit

/// The lines that tell the port and the password, and how they are printed.
struct Banner {
    /// What stands before the address.
    private let words: String
    /// The address up to the port: that of IPv6 has no brackets.
    private let start: String
    let port: UInt16
    /// The password that the server has made for itself.
    var password: String?

    /// The banner of a version.
    init(_ start: Profile.Start, _ address: Loopback, port: UInt16, password: String?) {
        words = start.banner
        self.start = "http://\(address == .ipv4 ? "127.0.0.1" : "::1"):"
        self.port = port
        self.password = password
    }

    /// The address as it is printed.
    var address: String { "\(start)\(port)" }

    /// What a broken configuration file leads to, colour codes included; the recorded list of errors is longer.
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

    /// Prints it in one of the ways that there are.
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
