// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// An operation on the named keys, as the HTTP API and the command line offer it.
package enum KeyOperation: Sendable, Equatable {
    /// List all keys.
    case list
    /// Create a key from the values in the body.
    case create
    /// Show the key with this id.
    case show(id: String)
    /// Change values of the key with this id.
    case change(id: String)
    /// Revoke the key with this id.
    case revoke(id: String)
    /// Replace the secret of the key with this id.
    case rotate(id: String)

    /// The method of the request.
    package var method: Method {
        switch self {
        case .list, .show: .get
        case .create, .rotate: .post
        case .change: .patch
        case .revoke: .delete
        }
    }

    /// The target of the request. An id consists of letters and digits.
    package var target: String {
        switch self {
        case .list, .create: Self.path
        case .show(let id), .change(let id), .revoke(let id): "\(Self.path)/\(id)"
        case .rotate(let id): "\(Self.path)/\(id)/rotate"
        }
    }

    /// The path of the list of keys.
    static let path = "/-/keys"
}
