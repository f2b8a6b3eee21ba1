/// How grave a log line is. The raw values are syslog's priorities (syslog(3), RFC 5424 §6.2.1): smaller is graver.
package enum LogLevel: UInt8, Sendable, CaseIterable, Comparable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    /// The level's name as settings and log lines spell it, such as `warning`.
    package var name: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }

    /// The level of that name; nil for any other word.
    package init?(name: some StringProtocol) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// Less means less grave: `.debug < .error`.
    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue > right.rawValue
    }
}
