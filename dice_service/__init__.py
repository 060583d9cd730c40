"""Zarf's dice service: seals its secret before a match, rolls for it, and reveals it after."""
