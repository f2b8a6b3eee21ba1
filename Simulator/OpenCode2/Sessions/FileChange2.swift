// SPDX-License-Identifier: Apache-2.0

/// A simulated change of a file by a tool. The simulator does not write the file to the disk.
struct FileChange2: Sendable {
    /// The id of the user message whose turn wrote the file.
    let messageID: String
    let file: String
    /// The content before the change; nil if the file did not exist.
    let before: String?
    /// The content after the change; nil if the file was removed.
    let after: String?

    /// The change that reverts this change.
    var reverted: FileChange2 { FileChange2(messageID: messageID, file: file, before: after, after: before) }

    var json: JSON { json("file patch additions deletions status") }

    func json(_ layout: Layout) -> JSON {
        let old = lines(before)
        let new = lines(after)
        let status = before == nil ? "added" : after == nil ? "deleted" : "modified"
        return layout.object([
            "file": .string(file), "patch": .string(patch(old, new)), "additions": .integer(new.count),
            "deletions": .integer(old.count), "status": .string(status),
        ])
    }

    /// Returns the change as a git diff that removes all old lines and adds all new lines.
    private func patch(_ old: [Substring], _ new: [Substring]) -> String {
        let mode = before == nil ? "new file mode 100644\n" : after == nil ? "deleted file mode 100644\n" : ""
        let names = (before == nil ? "/dev/null" : "a/\(file)", after == nil ? "/dev/null" : "b/\(file)")
        let range = { (lines: [Substring]) in lines.isEmpty ? "0,0" : "1,\(lines.count)" }
        return "diff --git a/\(file) b/\(file)\n\(mode)--- \(names.0)\n+++ \(names.1)\n"
            + "@@ -\(range(old)) +\(range(new)) @@\n" + old.map { "-\($0)\n" }.joined()
            + new.map { "+\($0)\n" }.joined()
    }

    private func lines(_ text: String?) -> [Substring] {
        text?.split(separator: "\n", omittingEmptySubsequences: false).dropLast() ?? []
    }
}
