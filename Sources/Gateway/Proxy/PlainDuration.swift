extension Duration {
    /// The duration in the form in which settings are written: `15min`, `90s`, `500ms`.
    var plainText: String {
        let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
        if milliseconds % 60_000 == 0 { return "\(milliseconds / 60_000)min" }
        if milliseconds % 1000 == 0 { return "\(milliseconds / 1000)s" }
        return "\(milliseconds)ms"
    }
}
