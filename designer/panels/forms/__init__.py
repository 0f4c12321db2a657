"""Forms made from JSON Schema: fields for values, their messages, and the texts that
are no values yet. Properties and Requests use them.
"""
