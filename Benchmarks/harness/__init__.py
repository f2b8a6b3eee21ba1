# SPDX-License-Identifier: Apache-2.0

"""The modules of the benchmarks: processes and their CPU time, the sides, the measurements, and the report."""
