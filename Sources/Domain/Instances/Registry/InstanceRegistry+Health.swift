// SPDX-License-Identifier: Apache-2.0

internal import Addresses
internal import Logging
internal import OpenCodeFamilies
internal import Projects

/// Handles health checks, signs of life, and port conflicts.
extension InstanceRegistry {
    func probe(_ number: UInt64, at address: InstanceAddress, within timeout: Duration, of name: ProjectName) {
        guard let instance = instances[name], let run = instance.run else { return }
        instances[name]?.pulse.resetCheck()
        let isUnknown = instance.enforcesPassword == nil || rival(of: name) != nil
        let hasPassword = run.credentials?.authorization(for: instance.family) != nil
        let query = HealthQuery(
            address: address, credentials: run.credentials,
            search: HealthSearch(family: instance.family, found: instance.healthPath), timeout: timeout,
            checksPassword: hasPassword && isUnknown)
        let links = links
        Task {
            let finding = await links.probe(query)
            handle(.probed(number, finding), of: name)
        }
    }

    func measure(_ name: ProjectName) {
        guard let slot = instances[name]?.slot else { return }
        let links = links
        Task {
            let count = await links.progress(slot)
            guard let look = instances[name]?.pulse.look(count) else { return }
            handle(.measured(quiet: look.quiet, progressed: look.progressed), of: name)
        }
    }

    /// Handles a run's announcement of its address. If another run announced the same address earlier, the earlier
    /// announcement becomes invalid: that run may have ended unnoticed, and its port may have been reused.
    func announced(
        _ run: String, at address: InstanceAddress, family: APIFamily?, warning: String?, of name: ProjectName
    ) {
        guard instances[name]?.machine.currentRun == run else { return }
        if let family { instances[name]?.family = family }
        instances[name]?.portWarning = warning
        lastClaim += 1
        instances[name]?.claim = lastClaim
        advance(.supervised(.announced(run: run, address: address)), of: name)
        if instances[name]?.machine.claimedAddress == address { displaceOthers(than: name, at: address) }
    }

    func probed(_ number: UInt64, _ finding: HealthFinding, of name: ProjectName) {
        guard let instance = instances[name], instance.machine.isWaiting(for: number) else { return }
        guard case .healthy(_, let enforcesPassword, let path, let processNumber) = finding else {
            return advance(.probed(number, finding), of: name)
        }
        if let processNumber, !belongs(processNumber, of: name), let address = instance.machine.claimedAddress {
            // Another server listens at the address. Handle this finding like a rejected password.
            let reason = InstanceMessage.foreignProcess(processNumber, address.port)
            return advance(.probed(number, .unauthorized(reason: reason)), of: name)
        }
        if let rival = rival(of: name), let address = instance.machine.claimedAddress {
            // A server proves its identity by requiring its secret password. Any other server at a contested address
            // counts as unhealthy.
            guard enforcesPassword == true else {
                let reason = InstanceMessage.portInUse(address.port, by: rival.string)
                return advance(.probed(number, .unhealthy(reason: reason)), of: name)
            }
            lastClaim += 1
            instances[name]?.claim = lastClaim
            displaceOthers(than: name, at: address)
        }
        instances[name]?.pulse.answered()
        if let path {
            instances[name]?.healthPath = path
            instances[name]?.family = path.family
        }
        if let enforcesPassword { recordPasswordCheck(enforcesPassword, of: name) }
        advance(.probed(number, finding), of: name)
        lookAtSetup(of: name)
    }

    /// Returns whether the process with the number in a health response belongs to the instance. Returns true if the
    /// supervisor cannot determine this.
    private func belongs(_ processNumber: Int32, of name: ProjectName) -> Bool {
        if instances[name]?.processNumber == processNumber { return true }
        guard let belongs = supervisor(of: name).hasProcess(processNumber, of: name) else { return true }
        if belongs { instances[name]?.processNumber = processNumber }
        return belongs
    }

    private func recordPasswordCheck(_ enforcesPassword: Bool, of name: ProjectName) {
        if !enforcesPassword, instances[name]?.enforcesPassword == nil {
            logger.warning(InstanceMessage.passwordNotEnforced, LogField("project", name.string))
        }
        instances[name]?.enforcesPassword = enforcesPassword
    }

    /// Returns another project whose instance announced the same address later than this project's instance.
    private func rival(of name: ProjectName) -> ProjectName? {
        guard let instance = instances[name], let address = instance.machine.claimedAddress else { return nil }
        return instances.first { other, others in
            other != name && others.machine.claimedAddress == address && others.claim > instance.claim
        }?.key
    }

    private func displaceOthers(than name: ProjectName, at address: InstanceAddress) {
        for other in instances.keys where other != name && instances[other]?.machine.claimedAddress == address {
            logger.warning(
                "two instances announced the same port; requests go to the later one", LogField("port", address.port),
                LogField("project", name.string), LogField("other", other.string))
            advance(.displaced(by: name.string), of: other)
        }
    }
}
