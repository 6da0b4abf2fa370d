"""How often are the intervals and tests of ``assess.by_design`` right? Simulated worlds and real tables.

    python3 src/bootstrap.py run python -m benchmarks.battery                # all scenarios, into data/battery.parquet
    python3 src/bootstrap.py run python -m benchmarks.battery 'ols*' --sets 50 --output /tmp/battery.parquet

See README.md beside this file.
"""
