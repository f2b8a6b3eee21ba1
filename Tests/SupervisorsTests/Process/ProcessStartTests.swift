// SPDX-License-Identifier: Apache-2.0

import Addresses
import Foundation
import Glibc
import Instances
import Logging
import OpenCodeFamilies
import Projects
import Supervisors
import Systemd
import TemporaryHomes
import Testing

/// Tests the environment of a server that the gateway starts as its child.
@Suite struct ProcessStartTests {
    /// After the process has announced its port, an examination can no longer meet execve(2) or the descriptor 10, from
    /// which a shell reads its script.
    private static let banner =
        #"exec sh -c 'echo "opencode server listening on http://127.0.0.1:4096"; sleep 1000; :'"#

    @Test func `the child inherits neither secrets nor descriptors nor the process group of the gateway`() async throws
    {
        let fixture = try ProcessFixture("echo \"$@\" >../arguments; pwd >../directory; " + Self.banner)
        let gateway = try await fixture.gateway(environment: [
            "PATH": "/usr/bin:/bin", "VIBE_AUTH_SECRET": "the gateway's key", "VIBE_KEY_FILE": "/key",
            "NOTIFY_SOCKET": "/run/notify", "LISTEN_FDS": "1", "PROVIDER_KEY": "theirs",
            "VIBEREMOTE_RUN": "that of an agent's server that has started the gateway",
        ])
        let run = try #require(await gateway.launch(fixture.alpha))
        let password = try #require(run.credentials?.password)
        let process = run.process
        var environment = try ProcessFixture.environment(of: process)
        // The shell itself sets these variables.
        for name in ["_", "SHLVL"] { environment[name] = nil }

        #expect(
            environment == [
                "PATH": "/usr/bin:/bin", "PROVIDER_KEY": "theirs", "PWD": fixture.alpha.path,
                "OPENCODE_SERVER_PASSWORD": password, "OPENCODE_PASSWORD": password, "VIBEREMOTE_RUN": run.id,
                "OPENCODE_DISABLE_AUTOUPDATE": "1",
                "VIBEREMOTE_PROJECTS": try #require(FolderIdentity(ofFolderAt: fixture.home.path)).text,
            ])
        #expect(try fixture.home.readFile("arguments") == "serve --port 0 --hostname 127.0.0.1\n")
        #expect(try fixture.home.readFile("directory") == fixture.alpha.path + "\n")

        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")

        #expect(descriptors.sorted() == ["0", "1", "2"])

        let words = try Data(contentsOf: URL(filePath: "/proc/\(process)/cmdline"))

        #expect(!String(decoding: words, as: UTF8.self).contains(password))
        #expect(getpgid(process) == process)
        #expect(getsid(process) == process)

        await gateway.kill()
        _ = await gateway.next()
        await gateway.tearDown()
    }

    @Test func `the environment files override the inherited environment of the child`() async throws {
        let fixture = try ProcessFixture(Self.banner)
        try fixture.home.makeFolder(".config/opencode/env.d")
        try fixture.home.makeFile(".config/opencode/env", "A=common\nB=common\nnonsense\n", mode: 0o600)
        try fixture.home.makeFile(".config/opencode/env.d/alpha.env", "B='own value'\n", mode: 0o600)
        let gateway = try await fixture.gateway(environment: ["PATH": "/usr/bin:/bin", "A": "gateway", "C": "gateway"])
        let run = try #require(await gateway.launch(fixture.alpha))
        let environment = try ProcessFixture.environment(of: run.process)

        #expect(environment["A"] == "common")
        #expect(environment["B"] == "own value")
        #expect(environment["C"] == "gateway")
        #expect(run.environmentDigest == InstanceEnvironment.currentDigest(of: .alpha, home: fixture.home.path))
        #expect(fixture.lines.all.contains { $0.text(of: "reason").contains("opencode/env, line 3 ") })

        try fixture.home.makeFile(".config/opencode/env", "A=other\n", mode: 0o600)

        #expect(run.environmentDigest != InstanceEnvironment.currentDigest(of: .alpha, home: fixture.home.path))

        await gateway.kill()
        _ = await gateway.next()
        await gateway.tearDown()
    }

    @Test func `an environment file that others can read fails the start until its mode is fixed`() async throws {
        let fixture = try ProcessFixture(Self.banner)
        try fixture.home.makeFolder(".config/opencode")
        try fixture.home.makeFile(".config/opencode/env", "SECRET=hidden\n", mode: 0o644)
        let gateway = try await fixture.gateway()
        await gateway.start(fixture.alpha)
        guard case .launchFailed(let reason) = await gateway.next() else {
            Issue.record("it was launched")
            return
        }

        #expect(reason.contains("`chmod 600 \(fixture.home.path)/.config/opencode/env`"))

        chmod("\(fixture.home.path)/.config/opencode/env", 0o600)

        #expect(await gateway.launch(fixture.alpha) != nil)

        await gateway.kill()
        _ = await gateway.next()
        await gateway.tearDown()
    }

    @Test func `with isolated sessions, each child has its own data directory, which only the user can access`()
        async throws
    {
        let fixture = try ProcessFixture(Self.banner)
        let data = fixture.home.path + "/.state/data"
        let gateway = try await fixture.gateway(
            environment: ["PATH": "/usr/bin:/bin", "XDG_DATA_HOME": "/inherited"], data: data)
        let run = try #require(await gateway.launch(fixture.alpha))

        #expect(try ProcessFixture.environment(of: run.process)["XDG_DATA_HOME"] == data + "/alpha")
        #expect(
            run.environmentDigest
                == InstanceEnvironment.currentDigest(of: .alpha, home: fixture.home.path, data: data))

        var status = stat()

        #expect(lstat(data + "/alpha", &status) == 0)
        #expect(status.st_mode == S_IFDIR | 0o700)

        await gateway.kill()
        _ = await gateway.next()
        await gateway.tearDown()
    }

    @Test func `a data directory that others can access fails the start`() async throws {
        let fixture = try ProcessFixture(Self.banner)
        let data = fixture.home.path + "/.state/data"
        try fixture.home.makeFolder(".state/data/alpha")
        chmod(data + "/alpha", 0o755)
        let gateway = try await fixture.gateway(data: data)
        await gateway.start(fixture.alpha)
        guard case .launchFailed(let reason) = await gateway.next() else {
            Issue.record("it was launched")
            return
        }

        #expect(reason.contains("`chmod 700 \(data)/alpha`"))

        await gateway.tearDown()
    }

    @Test func `with instance passwords off, only OpenCode 2 receives one, and the record contains it`() async throws {
        let fixture = try ProcessFixture(Self.banner)
        let gateway = try await fixture.gateway(givesPasswords: false)
        let run = try #require(await gateway.launch(fixture.alpha))
        let credentials = try #require(run.credentials)

        #expect(credentials.isForTwoOnly)

        let environment = try ProcessFixture.environment(of: run.process)

        #expect(environment["OPENCODE_SERVER_PASSWORD"] == nil)
        #expect(environment["OPENCODE_PASSWORD"] == credentials.password)
        // The next gateway also needs the credentials.
        #expect(fixture.records.read(.alpha)?.credentials == credentials)

        await gateway.kill()
        _ = await gateway.next()
        await gateway.tearDown()
    }

    @Test func `with instance passwords off, the password of the environment file is used`() async throws {
        let fixture = try ProcessFixture(Self.banner)
        try fixture.home.makeFolder(".config/opencode")
        try fixture.home.makeFile(".config/opencode/env", "OPENCODE_SERVER_PASSWORD=theirs\n", mode: 0o600)
        let gateway = try await fixture.gateway(givesPasswords: false)
        let run = try #require(await gateway.launch(fixture.alpha))

        #expect(run.credentials == InstanceCredentials(password: "theirs"))
        #expect(try ProcessFixture.environment(of: run.process)["OPENCODE_SERVER_PASSWORD"] == "theirs")

        await gateway.kill()
        _ = await gateway.next()
        await gateway.tearDown()
    }

    @Test func `a server is recorded until it ends`() async throws {
        let fixture = try ProcessFixture(Self.banner)
        let gateway = try await fixture.gateway()
        let run = try #require(await gateway.launch(fixture.alpha))
        let record = try #require(fixture.records.read(.alpha))

        #expect(record.run == run.id)
        #expect(record.address?.port == 4096)
        #expect(record.credentials == run.credentials)
        #expect(record.process?.number == run.process)
        #expect(record.isOfThisBoot)
        #expect(record.environmentDigest == run.environmentDigest)

        await gateway.kill()
        _ = await gateway.next()

        #expect(fixture.records.read(.alpha) == nil)

        await gateway.tearDown()

        #expect(!FileManager.default.fileExists(atPath: fixture.records.folder))
    }

    @Test func `a start in a missing project folder fails and leaves no record`() async throws {
        let fixture = try ProcessFixture(Self.banner)
        let gateway = try await fixture.gateway()
        await gateway.start(
            ProjectFolder(name: .alpha, path: "/nowhere", hasGit: false, hasPackageJSON: false))
        guard case .launchFailed(let reason) = await gateway.next() else {
            Issue.record("it was launched")
            return
        }

        #expect(reason.hasPrefix("cannot run /bin/sh in /nowhere: No such file or directory."))
        #expect(fixture.records.read(.alpha) == nil)

        await gateway.tearDown()
    }
}
