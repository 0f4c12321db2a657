"""What every test shares: an offscreen Qt, the shipped fonts, and quiet hypothesis profiles."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("ci")

pytest_plugins = ["tests.postgres"]
