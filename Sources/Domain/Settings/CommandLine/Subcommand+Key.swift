// SPDX-License-Identifier: Apache-2.0

/// The command `key`, with its actions.
extension Subcommand {
    static let key = Subcommand(
        name: "key", usage: "ACTION [KEY] [NAME] [FLAGS]",
        summary: "create, list, change and revoke keys for people and devices",
        description: [
            """
            Manage named keys. KEY is the name or the id of a named key. A change takes effect at once. What a key has opened \
            and may no longer open ends.
            """,
            """
            The command sends a request to the gateway that runs on this machine, with the address and an administrator's key \
            from the settings. If no gateway runs, the command changes the database in --state-dir itself. If a gateway runs \
            but does not respond, the command changes nothing.
            """,
            """
            Exit codes: 0 if the request succeeded, 1 if it was refused or not possible (the reason is on stderr), 2 for wrong \
            arguments, values or settings.
            """,
        ],
        settings: Settings.named([
            "listen", "auth-secret", "key-file", "home", "follow-links", "state-dir", "config",
        ]),
        switches: [
            Switch(
                flag: "--json",
                help: "Print the JSON response of the HTTP API. The response to `revoke` has no content."),
            Switch(
                flag: "--names",
                help: """
                    Print only the names of the keys, one on each line. This flag needs a running gateway.
                    """, actions: ["list"]),
            Switch(flag: "--all-projects", help: "Let the key open all projects.", actions: ["change"]),
        ],
        valueFlags: [
            ValueFlag(
                flag: "--project", placeholder: "NAME",
                help: """
                    Project that the key can open. Repeat the flag for several projects. A new key without this flag can open all \
                    projects.
                    """, actions: ["create", "change"], isRepeatable: true),
            ValueFlag(
                flag: "--allow", placeholder: "SCOPE",
                help: """
                    What the key permits: `read`, `answer` (and answer questions), `write` (and work in sessions), `run` (and \
                    control instances) or `admin` (and manage keys). Each scope includes the previous one. The default is `write`.
                    """, actions: ["create", "change"], hint: .words(["read", "answer", "write", "run", "admin"])),
            ValueFlag(
                flag: "--expires", placeholder: "TIME|never",
                help: "Time from now until the key expires, such as `12h` or `90d`. The default is `never`.",
                actions: ["create", "change"]),
            ValueFlag(
                flag: "--rate", placeholder: "RATE|none|default",
                help: """
                    Rate of requests, such as `20/s`, `300/min` or `1000/h`. `none` means no limit. The default is that of \
                    `--key-rate`.
                    """, actions: ["create", "change"]),
            ValueFlag(
                flag: "--streams", placeholder: "N|none|default",
                help: """
                    Number of streams that may be open at the same time. `none` means no limit. The default is that of \
                    `--key-streams`.
                    """, actions: ["create", "change"]),
            ValueFlag(
                flag: "--identity", placeholder: "VALUE",
                help: """
                    Value of `--identity-header` that selects the key, such as `anna@example.com`. Each identity has one key. An \
                    empty value means none.
                    """, actions: ["create", "change"]),
            ValueFlag(
                flag: "--note", placeholder: "TEXT",
                help: "Remark, which `key show` prints. An empty value means none.", actions: ["create", "change"]),
            ValueFlag(
                flag: "--keep-old", placeholder: "TIME",
                help:
                    "Time for which the previous key remains valid, such as `1d`. Without this flag, it ends at once.",
                actions: ["rotate"]),
        ],
        actions: [
            Action(
                name: "create", arguments: ["NAME"], summary: "create a key and print it",
                description: [
                    "Create a key and print it on stdout, once: the gateway stores only its hash. The rest goes to stderr."
                ],
                examples: [
                    Example(
                        purpose: "Give a phone a key for a year:",
                        lines: ["viberemote-gateway key create phone --expires 365d"]),
                    Example(
                        purpose: "Give a script a key that can only read:",
                        lines: ["viberemote-gateway key create backup --allow read --note 'nightly backup'"]),
                    Example(
                        purpose: "Give a colleague a key for two projects:",
                        lines: ["viberemote-gateway key create anna --project shop --project 'my app'"]),
                ]),
            Action(
                name: "list", summary: "list all keys",
                description: [
                    "List all keys with their ids, rights and last uses. An expired key remains in the list until it is revoked."
                ],
                examples: [Example(purpose: "List all keys:", lines: ["viberemote-gateway key list"])]),
            Action(
                name: "show", arguments: ["KEY"], summary: "show all values of a key",
                examples: [
                    Example(
                        purpose: "Show when and where a key was used:", lines: ["viberemote-gateway key show phone"])
                ]),
            Action(
                name: "change", arguments: ["KEY"], summary: "change the rights, limits or expiry of a key",
                description: [
                    """
                    Change the values that the flags name. The key itself remains the same. The words `never`, `none` and \
                    `default`, an empty value and `--all-projects` remove a value.
                    """
                ],
                examples: [
                    Example(
                        purpose: "Extend a key by a year from now:",
                        lines: ["viberemote-gateway key change phone --expires 365d"]),
                    Example(
                        purpose: "Limit a key to one project and to reading:",
                        lines: ["viberemote-gateway key change anna --project shop --allow read"]),
                    Example(
                        purpose: "Remove the expiry and the limit on requests:",
                        lines: ["viberemote-gateway key change ci --expires never --rate none"]),
                ]),
            Action(
                name: "rename", arguments: ["KEY", "NAME"], summary: "give a key another name",
                examples: [
                    Example(purpose: "Rename a key:", lines: ["viberemote-gateway key rename phone 'old phone'"])
                ]),
            Action(
                name: "rotate", arguments: ["KEY"], summary: "replace a key and print the new one",
                description: [
                    """
                    Replace the key itself and print the new one on stdout, once. The name and the rights remain the same. A key \
                    has at most one previous key, so a second rotation ends the first previous key.
                    """
                ],
                examples: [
                    Example(
                        purpose: "Replace a key, and accept the previous key for another day:",
                        lines: ["viberemote-gateway key rotate backup --keep-old 1d"])
                ]),
            Action(
                name: "revoke", arguments: ["KEY"], summary: "remove a key",
                description: ["Remove a key. Everything that it has opened ends within a second."],
                examples: [
                    Example(
                        purpose: "Revoke the key of a lost phone:", lines: ["viberemote-gateway key revoke phone"])
                ]),
        ])
}
