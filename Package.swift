// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A build needs only the toolchain and Debian's C libraries. There are no dependencies on Swift packages.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
    // Each object of the data plane belongs to one thread, so the release build omits the dynamic exclusivity checks,
    // which the tests use. They would cost a small request 5 % of its instructions. Inlining across modules saves
    // another 5 %.
    .unsafeFlags(["-enforce-exclusivity=unchecked", "-cross-module-optimization"], .when(configuration: .release)),
]

/// The layers, from the lowest to the highest; each is a folder in Sources. A module imports only modules of its own
/// layer and of the layers below it (scripts/modules.py).
enum Layer: String {
    case libraries = "Sources/CLibraries"
    case platform = "Sources/Platform"
    case http = "Sources/HTTP"
    case openCode = "Sources/OpenCode"
    case domain = "Sources/Domain"
    case gateway = "Sources/Gateway"
    case programs = "Sources/Programs"

    /// Returns the folder of a module.
    func folder(_ module: String) -> String { "\(rawValue)/\(module)" }
}

func module(_ layer: Layer, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: layer.folder(name), swiftSettings: strict)
}

/// A module for a C library that is installed on the machine.
func library(_ name: String, package: String?, pkgConfig: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: Layer.libraries.folder(name), pkgConfig: pkgConfig,
        providers: package.map { [.apt([$0])] })
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

let package = Package(
    name: "viberemote-gateway",
    products: [
        .executable(name: "viberemote-gateway", targets: ["viberemote-gateway"]),
        .executable(name: "opencode-simulator", targets: ["opencode-simulator"]),
    ],
    targets: [
        // C libraries: headers, small shims without logic, and embedded files.
        .target(name: "CLinux", path: Layer.libraries.folder("CLinux")),
        // OpenCode 1's OpenAPI document and routes, which the compiler embeds (C23 #embed).
        .target(
            name: "COpenCode1API", path: Layer.libraries.folder("COpenCode1API"),
            exclude: ["openapi.json", "routes.txt"]),
        // libcurl is loaded on first use, so the program is not linked to it. Debian's package is libcurl4-openssl-dev.
        .target(name: "CCurl", path: Layer.libraries.folder("CCurl")),
        library("CMicroHTTPD", package: "libmicrohttpd-dev", pkgConfig: "libmicrohttpd"),
        library("CSystemd", package: "libsystemd-dev", pkgConfig: "libsystemd"),
        library("CQREncode", package: "libqrencode-dev", pkgConfig: "libqrencode"),
        library("CSodium", package: "libsodium-dev", pkgConfig: "libsodium"),
        library("CSQLite", package: "libsqlite3-dev", pkgConfig: "sqlite3"),
        // Debian's package has no pkg-config file.
        library("CWslay", package: "libwslay-dev"),

        // Platform: the operating system, storage, logs, and texts in general formats. The first module contains locks
        // and threads based on pthreads.
        module(.platform, "Locking"),
        module(.platform, "EventLoop", ["CLinux", "Locking"]),
        module(.platform, "Systemd", ["CSystemd", "Encodings", "Locking"]),
        module(.platform, "QRCodes", ["CQREncode"]),
        module(.platform, "Sodium", ["CSodium", "Encodings"]),
        module(.platform, "Storage", ["CSQLite", "Locking"]),
        module(.platform, "MappedFiles"),
        // Converts bytes, numbers, durations and times to text, and contains SHA-1. It performs no I/O except for
        // reading the time of day.
        module(.platform, "Encodings"),
        // Contains JSON values that are written as they were parsed, and a scanner that finds values without parsing
        // them. It performs no I/O.
        module(.platform, "JSONText", ["Encodings"]),
        module(.platform, "EnvironmentFiles"),
        module(.platform, "Logging", ["Encodings", "Locking"]),

        // HTTP: the server, both clients and WebSockets, with their shared types. The first module contains heads,
        // field lists and framing decisions, and performs no I/O.
        module(.http, "HTTPTypes", ["Encodings"]),
        // Determines clients' addresses, from networks and trusted proxies. It performs no I/O.
        module(.http, "Addresses", ["Encodings"]),
        module(.http, "HTTPServer", ["Addresses", "CMicroHTTPD", "Encodings", "EventLoop", "HTTPTypes", "JSONText"]),
        module(.http, "HTTPClient", ["Addresses", "Encodings", "EventLoop", "HTTPTypes"]),
        module(.http, "WebSockets", ["CWslay", "Encodings", "HTTPTypes"]),
        module(.http, "Outbound", ["Addresses", "CCurl", "Locking"]),

        // OpenCode: the differences between its families and versions. The modules perform no I/O.
        module(.openCode, "OpenCodeFamilies", ["Encodings", "JSONText"]),
        // Contains one model of a conversation, which is parsed from OpenCode 1 and 2 and written as OpenCode 1.
        module(.openCode, "Dialects", ["COpenCode1API", "Encodings", "JSONText", "Locking"]),

        // Domain: the objects that the gateway manages.
        module(.domain, "Settings", ["Access", "Addresses", "Encodings", "EnvironmentFiles", "Logging"]),
        module(.domain, "Access", ["Addresses", "Encodings", "Locking", "OpenCodeFamilies", "Sodium"]),
        // Manages named keys. Only its store performs I/O.
        module(
            .domain, "Keys",
            ["Access", "Encodings", "JSONText", "OpenCodeFamilies", "Projects", "Sodium", "Storage"]),
        // Contains the entries of the audit log and their tables.
        module(.domain, "Audit", ["Access", "Addresses", "Encodings", "JSONText", "Storage"]),
        module(.domain, "Projects", ["Encodings", "JSONText", "Logging", "OpenCodeFamilies", "Systemd"]),
        module(
            .domain, "Instances",
            ["Addresses", "Encodings", "JSONText", "Logging", "OpenCodeFamilies", "Projects", "Storage", "Systemd"]),
        module(
            .domain, "Supervisors",
            [
                "Addresses", "Encodings", "EnvironmentFiles", "Instances", "Logging", "OpenCodeFamilies",
                "Projects", "Sodium", "Systemd",
            ]),
        // Stores the events of instances, finds them, and encodes them in several ways.
        module(
            .domain, "EventHub", ["Dialects", "Encodings", "JSONText", "Locking", "MappedFiles", "OpenCodeFamilies"]),
        // Implements the two other client protocols, chat over WebSocket and conversations over REST and SSE. Only its
        // store performs I/O.
        module(.domain, "Conversations", ["Dialects", "Encodings", "JSONText", "Storage"]),

        // Gateway: requests and their responses. The first module contains a loop, its endpoints and its features.
        module(
            .gateway, "GatewayCore",
            [
                "Access", "Addresses", "Audit", "Encodings", "EventHub", "EventLoop", "HTTPClient", "HTTPServer",
                "HTTPTypes", "Instances", "JSONText", "Locking", "Logging", "OpenCodeFamilies", "Projects", "Sodium",
                "WebSockets",
            ]),
        // Determines the project that a directory, session or event belongs to.
        module(
            .gateway, "DirectoryPinning",
            [
                "EventLoop", "GatewayCore", "HTTPClient", "HTTPServer", "HTTPTypes", "Instances", "Logging",
                "OpenCodeFamilies", "Projects",
            ]),
        module(
            .gateway, "Proxying",
            [
                "Access", "Addresses", "DirectoryPinning", "Encodings", "EventLoop", "GatewayCore", "HTTPClient",
                "HTTPServer", "HTTPTypes", "Instances", "Logging", "OpenCodeFamilies", "Projects", "WebSockets",
            ]),
        module(
            .gateway, "EventStreaming",
            [
                "Access", "Addresses", "DirectoryPinning", "Encodings", "EventHub", "EventLoop", "GatewayCore",
                "HTTPClient", "HTTPServer", "HTTPTypes", "Instances", "JSONText", "Locking", "Logging",
                "OpenCodeFamilies", "Projects", "Proxying",
            ]),
        module(
            .gateway, "OpenCode1Compatibility",
            [
                "Addresses", "Dialects", "DirectoryPinning", "Encodings", "EventHub", "EventLoop", "EventStreaming",
                "GatewayCore", "HTTPClient", "HTTPServer", "HTTPTypes", "Instances", "JSONText", "Locking",
                "OpenCodeFamilies", "Proxying",
            ]),
        module(
            .gateway, "ConversationServing",
            [
                "Access", "Addresses", "Audit", "Conversations", "Dialects", "Encodings", "EventHub", "EventLoop",
                "EventStreaming", "GatewayCore", "HTTPServer", "HTTPTypes", "Instances", "Locking", "Logging",
                "OpenCode1Compatibility", "OpenCodeFamilies", "Projects", "Proxying", "Storage", "WebSockets",
            ]),
        // Writes the audit log of the running gateway, and returns its entries.
        module(
            .gateway, "AuditServing",
            [
                "Access", "Addresses", "Audit", "Encodings", "EventLoop", "GatewayCore", "HTTPServer", "HTTPTypes",
                "JSONText", "Locking", "Logging", "OpenCodeFamilies", "Storage",
            ]),
        // Manages the named keys of the running gateway.
        module(
            .gateway, "KeyAdministration",
            [
                "Access", "Addresses", "Audit", "Encodings", "GatewayCore", "HTTPServer", "HTTPTypes", "JSONText",
                "Keys",
                "Locking", "Logging", "OpenCodeFamilies", "Sodium", "Storage",
            ]),
        // Signs browsers in, pairs devices, and issues tickets.
        module(
            .gateway, "SignIn",
            [
                "Access", "Addresses", "Audit", "Encodings", "EventLoop", "GatewayCore", "HTTPServer", "HTTPTypes",
                "JSONText", "KeyAdministration", "Keys", "Locking", "OpenCodeFamilies", "Sodium",
            ]),
        module(
            .gateway, "APIDescription",
            ["Encodings", "GatewayCore", "HTTPTypes", "JSONText", "Settings", "Sodium"]),
        // Combines the features into the data plane.
        module(
            .gateway, "GatewayServer",
            [
                "Access", "Addresses", "APIDescription", "Audit", "AuditServing", "Conversations",
                "ConversationServing", "DirectoryPinning",
                "Encodings", "EventHub", "EventLoop", "EventStreaming", "GatewayCore", "HTTPClient", "HTTPServer",
                "HTTPTypes", "Instances", "KeyAdministration", "Keys", "Locking", "Logging", "OpenCode1Compatibility",
                "OpenCodeFamilies", "Projects", "Proxying", "Settings", "SignIn", "Storage",
            ]),

        // Programs.
        .executableTarget(
            name: "viberemote-gateway",
            dependencies: [
                "Access", "Addresses", "Audit", "AuditServing", "Conversations", "ConversationServing", "Encodings",
                "EnvironmentFiles", "EventHub",
                "EventLoop", "EventStreaming", "GatewayServer", "GatewayCore", "HTTPClient", "HTTPServer", "HTTPTypes",
                "Instances", "JSONText", "KeyAdministration", "Keys", "Locking", "Logging", "OpenCodeFamilies",
                "Outbound", "Projects", "QRCodes", "Settings", "SignIn", "Storage", "Supervisors", "Systemd",
            ], path: Layer.programs.folder("viberemote-gateway"), swiftSettings: strict),

        // These targets are only for the tests and the demo, and are therefore not in Sources.
        .target(name: "CSpawn", path: "Tests/CSpawn"),
        .target(name: "TestKit", dependencies: ["CSpawn"], path: "Tests/TestKit", swiftSettings: strict),
        .executableTarget(
            name: "opencode-simulator", dependencies: ["TestKit"], path: "Simulator", swiftSettings: strict),

        tests("LockingTests", ["Locking"]),
        tests("EncodingsTests", ["Encodings"]),
        tests("SodiumTests", ["Sodium"]),
        tests("QRCodesTests", ["QRCodes"]),
        tests("AddressesTests", ["Addresses"]),
        tests("EventLoopTests", ["EventLoop", "Locking", "TestKit"]),
        tests("HTTPTypesTests", ["Encodings", "HTTPTypes", "TestKit"]),
        tests("JSONTextTests", ["JSONText"]),
        tests("HTTPServerTests", ["Encodings", "HTTPServer", "HTTPTypes"]),
        tests("HTTPClientTests", ["Addresses", "Encodings", "HTTPClient", "EventLoop", "HTTPTypes", "TestKit"]),
        // The cases of the Autobahn test suite as data, and a client's frames.
        .target(name: "FrameCases", path: "Tests/FrameCases", swiftSettings: strict),
        tests("WebSocketsTests", ["Encodings", "WebSockets", "HTTPTypes", "FrameCases"]),
        tests("OutboundTests", ["Outbound", "Addresses", "Locking", "TestKit"]),
        tests("SystemdTests", ["Locking", "Systemd", "TestKit"]),
        // Writes to a database until it is killed.
        .executableTarget(
            name: "storage-writer", dependencies: ["Storage"], path: "Tests/StorageWriter", swiftSettings: strict),
        tests("StorageTests", ["Storage", "Locking", "TestKit", "storage-writer"]),
        tests("MappedFilesTests", ["MappedFiles", "TestKit"]),
        // Appends to a log of events until it is killed.
        .executableTarget(
            name: "event-log-writer", dependencies: ["EventHub", "OpenCodeFamilies"], path: "Tests/EventLogWriter",
            swiftSettings: strict),
        tests(
            "EventHubTests",
            [
                "Dialects", "Encodings", "EventHub", "JSONText", "Locking", "MappedFiles", "OpenCodeFamilies",
                "TestKit",
                "event-log-writer",
            ]),
        tests("DialectsTests", ["Dialects", "JSONText", "Locking"]),
        tests(
            "ConversationsTests",
            ["Conversations", "Dialects", "JSONText", "Locking", "OpenCodeFamilies", "Storage", "TestKit"]),
        tests("LoggingTests", ["Logging", "Locking"]),
        tests("EnvironmentFilesTests", ["EnvironmentFiles", "TestKit"]),
        tests("SettingsTests", ["EnvironmentFiles", "Locking", "Logging", "Settings"]),
        tests("OpenCodeFamiliesTests", ["OpenCodeFamilies"]),
        tests("AccessTests", ["Access", "Addresses"]),
        tests(
            "AuditTests",
            ["Addresses", "Audit", "AuditServing", "JSONText", "Locking", "Logging", "Storage", "TestKit"]),
        tests("KeysTests", ["Access", "JSONText", "Keys", "OpenCodeFamilies", "Sodium", "Storage", "TestKit"]),
        // Home directories and logs for the tests of Projects, Instances and Supervisors.
        .target(
            name: "TemporaryHomes", dependencies: ["Projects", "Logging", "Locking"], path: "Tests/TemporaryHomes",
            swiftSettings: strict),
        tests("ProjectsTests", ["Projects", "TemporaryHomes", "Systemd", "OpenCodeFamilies", "Logging", "Locking"]),
        tests(
            "InstancesTests",
            [
                "Addresses", "Instances", "Locking", "Logging", "OpenCodeFamilies", "Projects", "Storage", "Systemd",
                "TemporaryHomes", "TestKit",
            ]),
        tests(
            "SupervisorsTests",
            [
                "Addresses", "Encodings", "EnvironmentFiles", "Instances", "Locking", "Logging", "OpenCodeFamilies",
                "Projects",
                "Supervisors", "Systemd", "TemporaryHomes",
            ]),
        // Threads for tests that block while they wait.
        .target(name: "TestThreads", dependencies: ["TestKit"], path: "Tests/TestThreads", swiftSettings: strict),
        tests("TestKitTests", ["TestKit", "TestThreads"]),
        tests("LabTests", ["TestKit", "TestThreads"]),
        tests("OpenCodeSimulatorTests", ["TestKit", "TestThreads", "opencode-simulator"]),
        // The gateway's own endpoints, without a program. These asynchronous tests would starve in the same process as
        // GatewayTests.
        tests(
            "EndpointTests",
            [
                "Access", "Addresses", "APIDescription", "Audit", "AuditServing", "Conversations",
                "ConversationServing", "DirectoryPinning", "EventHub", "EventLoop", "EventStreaming", "FrameCases",
                "GatewayServer",
                "GatewayCore", "HTTPClient",
                "HTTPServer", "HTTPTypes", "Instances", "JSONText", "KeyAdministration", "Logging",
                "OpenCode1Compatibility", "OpenCodeFamilies", "Projects", "Proxying", "Sodium", "Storage", "TestKit",
                "WebSockets",
            ]),
        // A data plane whose chat sends every message back.
        .executableTarget(
            name: "chat-echo",
            dependencies: [
                "Access", "Addresses", "ConversationServing", "EventHub", "EventLoop", "GatewayServer", "GatewayCore",
                "HTTPServer", "Instances", "Logging", "OpenCodeFamilies", "Projects", "WebSockets",
            ], path: "Tests/ChatEcho", swiftSettings: strict),
        tests(
            "GatewayTests",
            [
                "Addresses", "APIDescription", "chat-echo", "EventHub", "EventLoop", "EventStreaming", "FrameCases",
                "GatewayCore", "GatewayServer", "HTTPClient", "HTTPServer", "HTTPTypes", "Instances", "JSONText",
                "opencode-simulator", "OpenCodeFamilies", "Projects", "Proxying", "Settings", "Storage", "Supervisors",
                "Systemd", "TestKit", "TestThreads", "viberemote-gateway",
            ]),
    ]
)
