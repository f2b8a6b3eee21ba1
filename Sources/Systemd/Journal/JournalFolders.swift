internal import Glibc

/// The folders in which journald keeps its files (systemd-journald.service(8), "Files").
enum JournalFolders {
    private static let roots = ["/var/log/journal", "/run/log/journal"]

    /// Why no file of the journal could be opened.
    static func whyNothingIsReadable() -> JournalError {
        for root in roots {
            guard let machines = names(in: root) else {
                if errno == EACCES { return .notPermitted(folder: root) }
                continue
            }
            for machine in machines {
                let folder = "\(root)/\(machine)"
                guard let files = names(in: folder) else {
                    if errno == EACCES { return .notPermitted(folder: folder) }
                    continue
                }
                if files.contains(where: { $0.hasSuffix(".journal") }) { return .notPermitted(folder: folder) }
            }
        }
        return .missing
    }

    /// What is in a folder, dot-names aside; nil and errno where it can't be listed.
    private static func names(in folder: String) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
