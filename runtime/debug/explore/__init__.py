"""The explorer of delivery orders: a superstep runs again under other orders, with
failures and cancellations put in, and its outcomes are compared.
"""
