import Instances
import OpenCode
import Testing

@Suite struct OutputLinesTests {
    @Test func linesAreTheSameInEverySplit() {
        let bytes = Array("one\r\ntwo\n\n  three ü\nlast".utf8)
        for split in 0...bytes.count {
            var lines = OutputLines()
            let found = lines.split(Array(bytes[..<split])) + lines.split(Array(bytes[split...])) + [lines.finish()]
            #expect(found == ["one", "two", "  three ü", "last"], "split at \(split)")
        }
    }

    @Test func aLongLineIsCut() {
        var lines = OutputLines()
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: OutputLines.lineLimit)
        #expect(lines.split(long + Array("\nnext\n".utf8)) == [String(decoding: long, as: UTF8.self), "next"])
        for _ in 0..<100 { #expect(lines.split(long) == []) }
        #expect(lines.split(Array("\nnext\n".utf8)) == [String(decoding: long, as: UTF8.self) + "…", "next"])
    }

    @Test func brokenTextIsRepaired() {
        var lines = OutputLines()
        #expect(lines.split([0x61, 0xFF, 0x62, 0x0A]) == ["a\u{FFFD}b"])
    }
}

@Suite struct ChildEnvironmentTests {
    @Test func nothingOfTheGatewaysOwnReachesTheChild() {
        let credentials = InstanceCredentials(password: "random")
        let own = [
            "PATH": "/usr/bin", "HOME": "/home/vibe", "ANTHROPIC_API_KEY": "theirs", "VIBE_AUTH_SECRET": "ours",
            "VIBE_X": "1",
            "NOTIFY_SOCKET": "/run/x", "LISTEN_FDS": "1", "LISTEN_PID": "2", "LISTEN_FDNAMES": "x",
            "WATCHDOG_USEC": "1",
            "WATCHDOG_PID": "1", "JOURNAL_STREAM": "8:1", "INVOCATION_ID": "x", "OPENCODE_SERVER_PASSWORD": "old",
            "OPENCODE_SERVER_USERNAME": "other", "OPENCODE_CONFIG": "kept", "PWD": "/", "OLDPWD": "/x",
            "LISTENER": "kept",
        ]
        #expect(
            ChildEnvironment.make(from: own, credentials: credentials, directory: "/home/vibe/alpha") == [
                "PATH": "/usr/bin", "HOME": "/home/vibe", "ANTHROPIC_API_KEY": "theirs", "OPENCODE_CONFIG": "kept",
                "LISTENER": "kept", "PWD": "/home/vibe/alpha", "OPENCODE_SERVER_PASSWORD": "random",
            ])
    }
}
