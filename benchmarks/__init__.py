"""What rampart costs: `python -m benchmarks`."""
