// SPDX-License-Identifier: Apache-2.0

import Settings
import Testing

@Suite("The command key")
struct KeyRequestTests {
    private static func request(_ words: [String]) -> KeyRequest? {
        guard case .key(let request, _, _) = CommandLineUnderTest.parse(["key"] + words) else {
            Issue.record("\(CommandLineUnderTest.message(["key"] + words))")
            return nil
        }
        return request
    }

    private static func values(_ change: (inout KeyRequest.Values) -> Void) -> KeyRequest.Values {
        var values = KeyRequest.Values()
        change(&values)
        return values
    }

    @Test func `key accepts each of its actions with flags in any position`() {
        #expect(Self.request(["list"]) == .list(onlyNames: false))
        #expect(Self.request(["list", "--names"]) == .list(onlyNames: true))
        #expect(Self.request(["show", "phone"]) == .show("phone"))
        #expect(Self.request(["revoke", "--", "-a"]) == .revoke("-a"))
        #expect(Self.request(["rename", "a", "b c"]) == .rename("a", to: "b c"))
        #expect(Self.request(["rotate", "--keep-old", "1d", "a"]) == .rotate("a", keepOld: "1d"))
        #expect(
            Self.request(["create", "a", "--project", "x", "--project=y", "--allow", "read"])
                == .create(
                    name: "a",
                    Self.values {
                        $0.projects = ["x", "y"]
                        $0.allow = "read"
                    }))
        #expect(
            Self.request(["--expires", "never", "change", "a", "--note=", "--all-projects"])
                == .change(
                    "a",
                    Self.values {
                        $0.expires = "never"
                        $0.note = ""
                        $0.opensAllProjects = true
                    }))
    }

    @Test(arguments: [
        ([], "key has no action: see `viberemote-gateway help key`."),
        (["crate", "a"], #""crate" is not an action of key: did you mean create?"#),
        (["edit", "a"], #""edit" is not an action of key: see `viberemote-gateway help key`."#),
        (["change"], "key change has no KEY: write viberemote-gateway key change KEY."),
        (
            ["change", "a"],
            "key change has nothing to change: add a flag such as --allow, see `viberemote-gateway help key change`."
        ),
        (
            ["change", "a", "--all-projects", "--project", "b"],
            "--project and --all-projects contradict each other: remove one of them."
        ),
        (
            ["create", "a", "--all-projects"],
            "--all-projects is not valid for key create: it belongs to key change. Remove it."
        ),
        (["show", "a", "--names"], "--names is not valid for key show: it belongs to key list. Remove it."),
        (["list", "--names", "--json"], "--names and --json contradict each other: remove one of them."),
        (
            ["list", "--allow", "read"],
            "--allow is not valid for key list: it belongs to key create and key change. Remove it."
        ),
        (["help", "crate"], #""crate" is not an action of key: did you mean create?"#),
    ])
    func `each invalid command line is rejected with one sentence`(words: [String], sentence: String) {
        #expect(CommandLineUnderTest.message(["key"] + words) == sentence)
    }

    @Test func `the help of key lists each action on one line`() throws {
        let text = try CommandTests.help(["help", "key"])
        for line in [
            "  create NAME         create a key and print it", "  list                list all keys",
            "  rename KEY NAME     give a key another name",
        ] {
            #expect(text.contains("\n\(line)\n"), "\(line)")
        }
        for arguments in [["key", "help"], ["key", "--help"], ["key", "-h"]] {
            #expect(try CommandTests.help(arguments) == text)
        }

        for action in ["create", "list", "show", "change", "rename", "rotate", "revoke"] {
            #expect(text.contains("    viberemote-gateway key \(action)"), "\(action)")
        }

        // The flags of an action are in the help of the action.
        #expect(!text.contains("  --keep-old"))
    }

    @Test(arguments: ["create", "list", "show", "change", "rename", "rotate", "revoke"])
    func `each action has a help with an example, its flags and no others`(action: String) throws {
        let text = try CommandTests.help(["help", "key", action])

        #expect(text.hasPrefix("Usage: viberemote-gateway key \(action) "))
        #expect(text.contains("    viberemote-gateway key \(action)"))
        #expect(text.contains("--expires TIME") == ["create", "change"].contains(action))
        #expect(text.contains("--keep-old TIME") == (action == "rotate"))
        #expect(text.contains("--all-projects") == (action == "change"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 && !$0.hasSuffix(" ") })

        for arguments in [["key", action, "--help"], ["key", "help", action], ["key", action, "phone", "-h"]] {
            #expect(try CommandTests.help(arguments) == text)
        }
    }
}
