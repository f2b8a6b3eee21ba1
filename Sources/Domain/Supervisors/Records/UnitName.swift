// SPDX-License-Identifier: Apache-2.0

internal import Encodings
package import Instances
package import Projects

/// The name of a project's unit, which is an instance of the template `opencode@.service`.
///
/// The instance part is the folder's name in systemd's escaping (systemd.unit(5), "String Escaping for Inclusion in
/// Unit Names"), as `systemd-escape NAME` prints it. In the unit, `%I` is the unescaped name. The escaping is
/// reversible, so no two folders share a unit.
package struct UnitName: Sendable, Hashable, CustomStringConvertible {
    /// The template's name without its suffix: `opencode@`.
    package static let template = "opencode@"
    /// The suffix of the unit type.
    package static let suffix = ".service"
    /// The maximum length in bytes of a name that systemd accepts, including the suffix (UNIT_NAME_MAX, which is 256
    /// with the final NUL).
    package static let maximumLength = 255

    /// The project to which the unit belongs.
    package let project: ProjectName

    /// The whole name, such as `opencode@my\x2dapp.service`.
    package var string: String { Self.template + instance + Self.suffix }
    /// The whole name, equal to ``string``.
    package var description: String { string }
    /// The part between `@` and `.service`, which systemd calls `%i`.
    package var instance: String { Self.escape(project.bytes) }

    /// Creates the name of a project's unit. Throws an error if the escaped name is too long for systemd.
    package init(_ project: ProjectName) throws(LaunchError) {
        let length = Self.template.utf8.count + Self.escape(project.bytes).utf8.count + Self.suffix.utf8.count
        guard length <= Self.maximumLength else {
            throw LaunchError(
                "the folder's name results in a unit name of \(length) bytes, but systemd allows \(Self.maximumLength): "
                    + "each byte except ASCII letters, digits, `:`, `_` and `.` counts four times. Rename the folder.")
        }
        self.project = project
    }

    /// Parses a unit name from systemd. Returns nil if the name is not the canonical name of a project's unit. For
    /// other names, use ``mistaken(_:among:)``.
    package init?(unit: String) {
        guard let instance = Self.instance(of: unit), let project = Self.project(instance: instance),
            unit.utf8.count <= Self.maximumLength, Self.escape(project.bytes) == instance
        else { return nil }
        self.project = project
    }

    /// Returns the project for an instance part (`%i`); nil if the part does not represent a valid folder name.
    package static func project(instance: String) -> ProjectName? {
        unescape(instance).flatMap { ProjectName(directoryName: $0) }
    }

    /// Returns the part between `@` and `.service`; nil for units of another template.
    private static func instance(of unit: String) -> String? {
        guard unit.hasPrefix(template), unit.hasSuffix(suffix) else { return nil }
        let instance = unit.dropFirst(template.count).dropLast(suffix.count)
        return instance.isEmpty ? nil : String(instance)
    }
}

extension UnitName {
    /// Returns the folders for which a unit with a wrong name was probably intended.
    ///
    /// The original gateway replaced special characters with an underscore (`opencode@my_app` for `my.app`). The name
    /// of a unit that was started manually may lack the escaping (`opencode@my-app`). The result is empty for units of
    /// other templates, and for the correct unit of one of the folders.
    package static func mistaken(_ unit: String, among folders: [ProjectName]) -> [ProjectName] {
        guard let instance = instance(of: unit) else { return [] }
        if let unitName = UnitName(unit: unit), folders.contains(unitName.project) { return [] }
        return folders.filter { folder in
            let name = folder.string.unicodeScalars
            return name.count == instance.unicodeScalars.count
                && zip(name, instance.unicodeScalars).allSatisfy { $0 == $1 || ($1 == "_" && !isAlphanumeric($0)) }
        }
    }

    private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
    }
}

/// systemd's escaping of unit names.
extension UnitName {
    /// Returns the escaped form of a part of a unit name. `/` becomes `-`. A leading dot becomes `\x2e`. All other
    /// bytes except ASCII letters, digits, `:`, `_` and `.` become `\xNN`.
    static func escape(_ bytes: [UInt8]) -> String {
        var escaped: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "/"): escaped.append(UInt8(ascii: "-"))
            case UInt8(ascii: ".") where index == 0: escaped += hexadecimal(byte)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "."):
                escaped.append(byte)
            default: escaped += hexadecimal(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Returns the unescaped bytes; nil if a backslash does not begin an escape sequence `\xNN`.
    static func unescape(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "-"): bytes.append(UInt8(ascii: "/"))
            case UInt8(ascii: "\\"):
                guard iterator.next() == UInt8(ascii: "x"),
                    let escaped = Hexadecimal.byte(iterator.next(), iterator.next())
                else { return nil }
                bytes.append(escaped)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        Array("\\x".utf8) + Hexadecimal.text([byte]).utf8
    }
}
