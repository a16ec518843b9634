"""Makes a release: the wheel's layout, the build backend that pip calls, and the step from a changelog to a tag."""
