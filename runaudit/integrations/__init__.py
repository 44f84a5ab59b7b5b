"""Where other tools call us: the Harbor plugin, the pytest helper."""
