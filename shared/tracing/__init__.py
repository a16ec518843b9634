"""Of a request: how long each step took (steps, as spans), how much it read (reads), whose work a thread does."""
