"""What clients and models say to each other over HTTP, read for tool calls, results and usage."""
