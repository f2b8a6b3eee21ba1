/// What the twin does wrong on purpose, from the words of TWIN_MISBEHAVE.
struct Misbehaviour: Sendable, Equatable {
    /// How the banner comes.
    enum Banner: Sendable, Equatable {
        case atOnce
        case late(Duration)
        case never
        /// In two writes, cut in the middle of the address.
        case split
    }

    /// A word that means nothing.
    struct UnknownWord: Error, Equatable {
        let word: String
    }

    /// `refuse-health`: 500 on `/global/health`.
    var refusesHealth = false
    /// `banner-late=MS`, `banner-never`, `banner-split`.
    var banner = Banner.atOnce
    /// `ignore-sigterm`: only SIGKILL ends it.
    var ignoresTermination = false
    /// `leave-grandchildren`: a child in the same process group that ignores SIGTERM outlives the server.
    var leavesGrandchildren = false

    /// Parses words with commas between them; nothing means good behaviour.
    init(_ words: String) throws {
        for word in words.split(separator: ",") {
            let sides = word.split(separator: "=", maxSplits: 1)
            switch (sides[0], sides.count > 1 ? Int(sides[1]) : nil) {
            case ("refuse-health", nil): refusesHealth = true
            case ("banner-late", let milliseconds?): banner = .late(.milliseconds(milliseconds))
            case ("banner-never", nil): banner = .never
            case ("banner-split", nil): banner = .split
            case ("ignore-sigterm", nil): ignoresTermination = true
            case ("leave-grandchildren", nil): leavesGrandchildren = true
            default: throw UnknownWord(word: String(word))
            }
        }
    }
}
