# SPDX-License-Identifier: Apache-2.0

"""The common parts of measurements that need a gateway."""

import os

from .processes import BenchmarkError
from .sides import get


class OwnMeasurements:
    """Adds samples to a `Report`."""

    def __init__(self, measurements):
        self.measurements = measurements
        self.bench, self.sides = measurements.bench, measurements.sides
        self.report, self.options = measurements.report, measurements.options

    def project_folder(self, running, name):
        """Creates a project of a running gateway, and returns the project's folder."""
        folder = os.path.join(os.path.dirname(running.directory), name)
        os.makedirs(folder)
        return folder

    def start_project(self, running, folder, port, banner=None):
        """Starts a project whose instance listens on a port. `banner` is the beginning of the instance's announcement."""
        for name, text in (("upstream-port", str(port)), ("banner", banner)):
            if text:
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
        project = os.path.basename(folder)
        status, body = get(running.port, f"/projects/{project}/start", self.sides.key, "POST")
        if status != 200:
            raise BenchmarkError(f"The gateway does not start the project {project}: {status} {body.decode()}")
