"""The REST edge: routers by resource, problem+json errors, authentication, limits, metrics."""
