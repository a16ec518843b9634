"""Real HTTP servers on loopback that play the services the product talks to: scripted, counted, recorded."""
