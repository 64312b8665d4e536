"""Numbers for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from highseason.service.experiments import Service

#: The edges of the histogram of answer times, in seconds.
EDGES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Metrics:
    """What one app has counted."""

    def __init__(self, service: Service) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "highseason_requests",
            "Requests answered.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "highseason_request_seconds",
            "How long answers took.",
            ["method", "route"],
            buckets=EDGES,
            registry=self.registry,
        )
        numbers = {
            "transactions": ("Transactions committed.", lambda: service.writer.batches),
            "writes": ("Requests in these transactions.", lambda: service.writer.jobs),
            "rebuilds": ("Bandits rebuilt from their events.", lambda: service.brains.rebuilt),
        }
        for name, (text, read) in numbers.items():
            gauge = Gauge(f"highseason_{name}", text, registry=self.registry)
            gauge.set_function(read)

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self.requests.labels(method, route, str(status)).inc()
        self.seconds.labels(method, route).observe(seconds)

    def text(self) -> bytes:
        """In the format that Prometheus reads."""
        return generate_latest(self.registry)
