internal import Addresses

/// What is right in each setting alone and not in all of them together.
extension Configuration {
    /// Settings that contradict each other, one sentence each; those in `wrong` have been told already and hold a default.
    func contradictions(leavingOut wrong: Set<String>) -> [SettingError] {
        let names = ["restart-delay", "max-restart-delay"]
        guard instances.restartDelay > instances.maxRestartDelay, wrong.isDisjoint(with: names) else { return [] }
        let places = names.compactMap { name in
            Settings.table.first { $0.name == name }.map { "\($0.source(origin(of: $0))) \($0.text(in: self))" }
        }
        return [
            SettingError(
                "\(places.joined(separator: " is longer than ")): make the first delay shorter or the longest one longer."
            )
        ]
    }

    /// Sentences about what is allowed and hardly meant.
    var cautions: [String] {
        let everybody = access.trustedProxies.filter { $0.length == 0 }
        guard !everybody.isEmpty, let setting = Settings.table.first(where: { $0.name == "trust-proxy" }) else {
            return []
        }
        return everybody.map { range in
            "\(setting.source(origin(of: setting))) \(range) has every client believed who says that it is a proxy, so that "
                + "the log and the count of wrong keys can be deceived: name your proxies' own addresses."
        }
    }
}
