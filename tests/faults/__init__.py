"""Faults made on purpose: `test_*.py` are in the suite, `make faults` runs `fault_*.py`, which take long."""
