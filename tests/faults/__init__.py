"""Fault injection: `test_*.py` are part of the suite, `make faults` runs the slow `fault_*.py`."""
