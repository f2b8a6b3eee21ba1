// SPDX-License-Identifier: Apache-2.0

/// The state of the events of a project's instance.
package struct HubReport: Sendable {
    let view: HubSnapshot?
}
