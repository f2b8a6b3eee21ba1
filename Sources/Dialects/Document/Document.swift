// SPDX-License-Identifier: Apache-2.0

// Made by scripts/bridge-document.py out of OpenCode 1.18.33's own document.
/// What `/doc` says in front of an OpenCode 2 (OpenAPI 3.1).
enum Document {
    /// JSON, in the order of OpenCode's own.
    static let bytes = Array((part1 + part2 + part3 + part4 + part5 + part6).utf8)
}
