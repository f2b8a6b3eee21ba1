"""The benchmark's parts: processes and their accounting, the sides, the measurements, the report."""
