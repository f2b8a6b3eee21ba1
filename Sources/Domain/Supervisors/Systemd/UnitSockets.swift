// SPDX-License-Identifier: Apache-2.0

internal import Addresses
internal import Glibc
internal import Systemd

/// Finds the address on which a unit's processes listen. The supervisor needs this search if the journal contains no
/// announcement.
enum UnitSockets {
    /// Returns the address on which the unit with this main process listens. Prefers the main process's own sockets,
    /// because its descendants may also listen. Returns nil if none of the unit's processes listens on a loopback
    /// address, or if the processes cannot be examined.
    static func address(unit: String, mainProcess: Int32) -> InstanceAddress? {
        guard let group = controlGroup(of: mainProcess), group.split(separator: "/").contains(Substring(unit)) else {
            return nil
        }
        let sockets = ListeningSockets(tables: ["/proc/net/tcp", "/proc/net/tcp6"].compactMap(read))
        if let address = sockets.address(of: socketNumbers(of: mainProcess)) { return address }
        let others = members(of: "/sys/fs/cgroup" + group).subtracting([mainProcess])
        return sockets.address(of: others.reduce(into: []) { $0.formUnion(socketNumbers(of: $1)) })
    }

    /// Returns the processes of the unit with this main process, including all descendants; nil if the processes cannot
    /// be examined.
    static func processes(unit: String, mainProcess: Int32) -> Set<Int32>? {
        guard let group = controlGroup(of: mainProcess), group.split(separator: "/").contains(Substring(unit)) else {
            return nil
        }
        return members(of: "/sys/fs/cgroup" + group)
    }

    /// Returns the process's control group in the unified hierarchy (cgroups(7)).
    private static func controlGroup(of process: Int32) -> String? {
        read("/proc/\(process)/cgroup")?.split(separator: "\n").first { $0.hasPrefix("0::") }
            .map { String($0.dropFirst(3)) }
    }

    /// Returns the processes of a control group and of its subgroups.
    private static func members(of folder: String) -> Set<Int32> {
        var found = Set((read(folder + "/cgroup.procs") ?? "").split(separator: "\n").compactMap { Int32($0) })
        for name in FolderEntries.names(in: folder) ?? [] {
            var status = stat()
            let path = folder + "/" + name
            if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { found.formUnion(members(of: path)) }
        }
        return found
    }

    private static func socketNumbers(of process: Int32) -> Set<UInt64> {
        let folder = "/proc/\(process)/fd"
        let names = FolderEntries.names(in: folder) ?? []
        return Set(
            names.compactMap { name in
                guard let target = FilePath.target(ofLink: folder + "/" + name),
                    target.hasPrefix("socket:["), target.hasSuffix("]")
                else { return nil }
                return UInt64(target.dropFirst("socket:[".count).dropLast())
            })
    }

    /// Reads a file in `/proc` or `/sys/fs/cgroup`. Reads until the end of the file, because these files report no
    /// size.
    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
            bytes += buffer.prefix(count)
        }
    }
}
