"""What `SurfaceConformance` checks, one question a function."""
