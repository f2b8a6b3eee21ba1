import TestKit

/// The line that tells the port, and how it is printed.
struct Banner {
    let port: UInt16

    private static let start = "opencode server listening on http://127.0.0.1:"

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
            Console.write(Banner.start + digits.prefix(2))
            wait(.milliseconds(50))
            Console.write("\(digits.dropFirst(2))\n")
        case .twice:
            print(port)
            print(port)
        case .followed(let other):
            print(port)
            print(other)
        }
    }

    private func print(_ port: UInt16) { Console.write("\(Banner.start)\(port)\n") }

    private func wait(_ time: Duration) {
        _ = Latch("the time of a late banner").isOpened(within: time)
    }
}
