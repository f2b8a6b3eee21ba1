// SPDX-License-Identifier: Apache-2.0

extension Misbehaviour {
    /// A word in SIMULATOR_MISBEHAVE, with its effect on the simulator.
    struct Word: Sendable {
        let name: String
        /// The help's placeholder for the value after the equals sign; nil for a word without a value.
        let value: String?
        let help: String
        /// Applies the value. Returns false if the value is invalid.
        let apply: @Sendable (inout Misbehaviour, Substring?) -> Bool

        /// The help text of the word in `--help`.
        var helpLine: String {
            let start = "  \(name)\(value.map { "=\($0)" } ?? "")"
            let column = 24
            if start.count >= column { return "\(start)\n\(String(repeating: " ", count: column))\(help)" }
            return start + String(repeating: " ", count: column - start.count) + help
        }
    }

    /// An error about an unknown word, or about a word with a missing or invalid value.
    struct UnknownWord: Error, Equatable {
        let word: String
    }

    /// Parses words that are separated by commas or white space. An empty text represents correct behaviour.
    init(_ text: String) throws(UnknownWord) {
        for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            let sides = word.split(separator: "=", maxSplits: 1)
            guard let known = Misbehaviour.words.first(where: { $0.name == sides.first ?? "" }),
                known.apply(&self, sides.count > 1 ? sides[1] : nil)
            else { throw UnknownWord(word: String(word)) }
        }
    }

    /// All words, in the order of the help.
    static var words: [Word] { startWords + healthWords + answerWords + endWords }

    private static var startWords: [Word] {
        [
            number("exit-at-start", value: "CODE", "print the output of a broken configuration, and exit with CODE") {
                $0.exitAtStart = Int32(clamping: $1)
            },
            flag("first-run", "print the output of the version's first run") { $0.isFirstRun = true },
            duration("banner-late", "delay the banner by MS milliseconds") { $0.banner = .late($1) },
            flag("banner-never", "print no banner") { $0.banner = .never },
            flag("banner-split", "print the banner in two writes") { $0.banner = .split },
            flag("banner-twice", "print the banner twice") { $0.banner = .twice },
            number("banner-followed", value: "PORT", "print the banner again, with PORT") {
                $0.banner = .followed(by: UInt16(clamping: $1))
            },
            flag("refuse", "refuse connections") { $0.refuses = true },
        ]
    }

    private static var healthWords: [Word] {
        [
            choice("health", "answer health checks with this result", of: Health.self) { $0.health = $1 },
            duration("health-late", "delay answers to health checks by MS milliseconds") { $0.healthDelay = $1 },
            flag("wedge", "accept requests without answering, and send no events") { $0.isWedged = true },
        ]
    }

    private static var answerWords: [Word] {
        Fault.Kind.allCases.map { kind in
            Word(name: kind.rawValue, value: "PATH", help: kind.help) {
                let path = $1 ?? "/"
                $0.faults.append(Fault(kind: kind, path: String(path)))
                return path.hasPrefix("/")
            }
        } + [
            flag("cut-streams", "close all event streams (only while the server runs)") { $0.cutsStreams = true },
            duration("idle-loss", "close connections at the first request after MS idle milliseconds or more") {
                $0.idleLoss = $1
            },
            choice(
                "migration", "report this state of the migration of old sessions", of: Misbehaviour.Migration.self
            ) {
                $0.migration = $1
            },
        ]
    }

    private static var endWords: [Word] {
        [
            duration("crash-after", "exit with code 1 after MS milliseconds") { $0.crashDelay = $1 },
            Word(name: "crash-at", value: "PATH", help: "exit with code 1 at a request for PATH or a path below it") {
                guard let path = $1, path.hasPrefix("/") else { return false }
                $0.crashPath = String(path)
                return true
            },
            duration("killed-after", "end by SIGKILL after MS milliseconds") { $0.killDelay = $1 },
            flag("ignore-sigterm", "ignore SIGTERM") { $0.ignoresTermination = true },
            duration("sigterm-late", "exit MS milliseconds after SIGTERM (only at startup)") {
                $0.terminationDelay = $1
            },
            flag("leave-grandchildren", "do the same as grandchild=stubborn") { $0.grandchildren.append(.stubborn) },
            choice(
                "grandchild", "start a child process that outlives the simulator, and print its id", of: Grandchild.self
            ) {
                $0.grandchildren.append($1)
            },
        ]
    }
}

extension Misbehaviour {
    static func flag(_ name: String, _ help: String, set: @escaping @Sendable (inout Misbehaviour) -> Void) -> Word {
        Word(name: name, value: nil, help: help) {
            set(&$0)
            return $1 == nil
        }
    }

    static func number(
        _ name: String, value: String, _ help: String, set: @escaping @Sendable (inout Misbehaviour, Int) -> Void
    ) -> Word {
        Word(name: name, value: value, help: help) {
            guard let number = $1.flatMap({ Int($0) }), number >= 0 else { return false }
            set(&$0, number)
            return true
        }
    }

    static func duration(
        _ name: String, _ help: String, set: @escaping @Sendable (inout Misbehaviour, Duration) -> Void
    ) -> Word {
        Word(name: name, value: "MS", help: help) {
            // The unit `ms` after the number is optional.
            let digits = $1.map { $0.hasSuffix("ms") ? $0.dropLast(2) : $0 }
            guard let number = digits.flatMap({ Int($0) }), number >= 0 else { return false }
            set(&$0, .milliseconds(number))
            return true
        }
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ help: String, of _: Choice.Type,
        set: @escaping @Sendable (inout Misbehaviour, Choice) -> Void
    ) -> Word {
        let choices = Choice.allCases.map { (name: $0.rawValue, choice: $0) }
        return Word(name: name, value: choices.map(\.name).joined(separator: "|"), help: help) { behaviour, value in
            guard let choice = choices.first(where: { $0.name == value ?? "" })?.choice else { return false }
            set(&behaviour, choice)
            return true
        }
    }
}
