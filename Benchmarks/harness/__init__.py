# SPDX-License-Identifier: Apache-2.0

"""The parts of the benchmark: processes and their accounting, the sides, the measurements, the report."""
