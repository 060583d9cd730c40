"""Webhooks: an owner's own address is told when a match has ended, signed, until it has heard.

They follow the Standard Webhooks specification, 1.0.0 (https://www.standardwebhooks.com).
"""
