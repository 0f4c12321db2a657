"""The task Delivery orders: a superstep that is tried again in other orders."""
