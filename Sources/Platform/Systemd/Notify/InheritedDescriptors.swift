// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// The descriptors that the service manager passed to this process: the sockets of a `.socket` unit (sd_listen_fds(3)).
package struct InheritedDescriptors: Sendable, Equatable {
    /// A descriptor with its name and type.
    package struct Item: Sendable, Equatable {
        /// The descriptor, with close-on-exec set. The code that uses the descriptor owns it.
        package let descriptor: Int32
        /// The `FileDescriptorName=` of the socket unit.
        package let name: String
        /// Whether the descriptor is a listening TCP socket.
        package let isListener: Bool
    }

    /// The descriptors in their original order.
    package let items: [Item]

    /// The sockets that accept client connections.
    package var listeners: [Int32] { items.filter(\.isListener).map(\.descriptor) }

    /// Takes over the descriptors and removes the environment variables that describe them, so that no child inherits
    /// them. Call this method once, before any thread is started, because it changes the environment.
    package static func acquire() throws(SystemdError) -> InheritedDescriptors {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        try SystemdError.check(count, "sd_listen_fds_with_names", detail: "the sockets of the unit (LISTEN_FDS)")
        defer {
            for index in 0..<Int(count) { free(names?[index]) }
            free(names)
        }
        let items = (0..<count).map { index in
            let descriptor = SD_LISTEN_FDS_START + index
            return Item(
                descriptor: descriptor, name: names?[Int(index)].map { String(cString: $0) } ?? "",
                isListener: isListener(descriptor))
        }
        return InheritedDescriptors(items: items)
    }

    private static func isListener(_ descriptor: Int32) -> Bool {
        [AF_INET, AF_INET6].contains {
            sd_is_socket_inet(descriptor, $0, Int32(SOCK_STREAM.rawValue), 1, 0) > 0
        }
    }
}
